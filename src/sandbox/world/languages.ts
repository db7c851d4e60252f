/** Captions of one language. `{s}` stands for the subject of the video. */
export interface Language {
  readonly code: string;
  /** Hours to add to UTC for the local evening, when most videos appear. */
  readonly utcOffsetHours: number;
  /** Share of the creators who post in it, on any scale. */
  readonly weight: number;
  readonly captions: readonly string[];
  /** Second and third lines of long captions. */
  readonly lines: readonly string[];
  /** Tags that everybody writes, whatever the video shows, the commonest first. */
  readonly commonTags: readonly string[];
  /** First halves of handles; 19 each, so that names do not meet (see creators.ts). */
  readonly names: readonly string[];
}

const language = (
  code: string,
  utcOffsetHours: number,
  weight: number,
  texts: { captions: string; lines: string; commonTags: string; names: string },
): Language => ({
  code,
  utcOffsetHours,
  weight,
  captions: texts.captions.split('|'),
  lines: texts.lines.split('|'),
  commonTags: texts.commonTags.split(' '),
  names: texts.names.split(' '),
});

export const LANGUAGES: readonly Language[] = [
  language('en', -5, 30, {
    captions:
      '{s}|POV: {s}|I tried {s} so you don\'t have to|Nobody talks about {s}|{s}, part {n}|Wait for it… {s}|{s} (I was NOT ready)|{n} things I learned from {s}|Day {n} of {s}|Is it just me, or {s}?|"{s}" - my mom, probably|They said {s} was impossible|{s} but it gets better every second|How I did {s} in {n} minutes|This is why {s} hits different|ok but {s}??',
    lines:
      'Save this for later!|Full story in the next one.|Tell me your favourite below 👇|Follow for part {n}.|No filter, no script.|Sound on 🔊|Would you try it? Be honest.|It took {n} tries.', // words-ok
    commonTags:
      'fyp foryou viral trending foryoupage shorts reels explore fy funny tiktok reelsinstagram viralvideo xyzbca',
    names:
      'mira jonah tess cole ruby theo ivy max nora eli june sam zoe finn lena kai abby reed wren',
  }),
  language('es', -5, 14, {
    captions:
      '{s}|POV: {s}|Nadie te cuenta esto de {s}|¿Y si pruebas {s}?|{s}, parte {n}|Probé {s} y pasó esto…|{n} secretos de {s}|Cuando por fin llega {s} 😭|No puedo creer {s}|Así se hace {s} en {n} minutos|Día {n} de {s}|¡{s}!',
    lines:
      'Guárdalo para después.|¿Tú qué harías? Te leo 👇|Sígueme para la parte {n}.|Sin filtros.|Me llevó {n} intentos.|Etiqueta a quien lo necesita.',
    commonTags: 'parati fyp viral paratii tendencia foryou humor latinos reels videoviral shorts',
    names:
      'lucia mateo vale diego caro nico sofi andres marta pablo inma javi rocio bruno alba teo luz rafa noe',
  }),
  language('pt', -3, 9, {
    captions:
      '{s}|POV: {s}|Ninguém fala sobre {s}|{s} - parte {n}|Testei {s} e olha no que deu|Eu juro que {s} mudou tudo|{n} dicas de {s}|Quando é dia de {s} 🤣|Como fazer {s} em {n} minutos|Dia {n} de {s}',
    lines:
      'Salva pra depois!|Comenta aqui 👇|Segue pra parte {n}.|Sem filtro nenhum.|Marca aquele amigo.',
    commonTags: 'fyp fy viral brasil foryou humor paravoce reels trend foryoupage',
    names:
      'bia caio duda leo gabi thiago nanda davi lari igor malu tom juju edu isa ruan tati beto lia',
  }),
  language('de', 1, 5, {
    captions:
      '{s}|POV: {s}|Das sagt dir keiner über {s}|{s}, Teil {n}|Ich habe {s} getestet|Warum {s} alles verändert|{n} Fehler bei {s}|So geht {s} in {n} Minuten|Wenn plötzlich {s} …|Tag {n}: {s}',
    lines:
      'Speichern nicht vergessen!|Was meint ihr? 👇|Teil {n} kommt morgen.|Ohne Schnitt.|Ton an!',
    commonTags: 'fürdich fyp viral deutschland foryou lustig fy reels',
    names:
      'jonas lea emil frieda paul mia anton greta luca ida moritz hanna till nele jan clara ben romy ole',
  }),
  language('fr', 1, 5, {
    captions:
      '{s}|POV : {s}|Personne ne parle de {s}|{s}, partie {n}|J’ai testé {s}…|{n} astuces pour {s}|Quand {s} arrive enfin 😭|Comment réussir {s} en {n} minutes|Jour {n} : {s}|C’est ça, {s} !',
    lines: 'Enregistre pour plus tard !|Dis-moi en commentaire 👇|Partie {n} bientôt.|Sans filtre.',
    commonTags: 'pourtoi fyp viral france foryou humour tendance reels',
    names:
      'chloe hugo lina nathan manon louis jade enzo alice baptiste camille gaspard manou rayan eva jules ines malo rose',
  }),
  language('tr', 3, 6, {
    captions:
      '{s}|Kimse {s} hakkında konuşmuyor|{s}, bölüm {n}|{s} denedim, sonuca bakın|{n} dakikada {s}|Ve sonunda {s} 😂|{s} böyle yapılır!|Gün {n}: {s}',
    lines: 'Kaydetmeyi unutma!|Sence nasıl olmuş? 👇|Bölüm {n} yarın.|Sesi aç 🔊',
    commonTags: 'keşfet fyp kesfet viral keşfetteyiz foryou komedi türkiye reels',
    names:
      'elif emre zeynep kaan defne mert selin arda ece baris irem can naz ozan asli deniz tuna melis efe',
  }),
  language('id', 7, 8, {
    captions:
      '{s}|POV: {s}|Cobain {s} sekali seumur hidup|{s} part {n}|Ternyata {s} segampang ini|{n} fakta tentang {s}|Ketika {s} 😭🙏|Hari ke-{n}: {s}|Jangan skip! {s}',
    lines: 'Simpan dulu ya!|Kalian tim mana? 👇|Lanjut part {n}.|Nonton sampai habis.',
    commonTags: 'fyp fypシ viral foryou indonesia fyppppppppppp masukberanda xyzbca reels trending',
    names:
      'ayu rizky dewi bagas putri fajar nisa dimas sari agus tika yoga rani hendra intan aldi citra bayu wulan',
  }),
  language('vi', 7, 4, {
    captions:
      '{s}|Thử {s} và cái kết|{s} phần {n}|Ai cũng nên biết {s}|{n} điều về {s}|Khi bạn gặp {s} 😂|Ngày {n}: {s}|Cách làm {s} trong {n} phút',
    lines: 'Lưu lại ngay nhé!|Bạn thấy sao? 👇|Phần {n} mai có.',
    commonTags: 'xuhuong fyp viral xuhuongtiktok foryou learnontiktok reels giaitri',
    names: 'linh minh trang tuan huong khoa thao duc mai long ngoc phuc yen hieu chi son vy nam ha',
  }),
  language('ru', 3, 6, {
    captions:
      '{s}|Никто не говорит про {s}|{s}, часть {n}|Я попробовал {s}, и вот что вышло|Когда {s} 😂|{n} ошибок: {s}|Как сделать {s} за {n} минут|День {n}: {s}|Вы только посмотрите: {s}',
    lines: 'Сохрани, чтобы не потерять!|Что думаете? 👇|Часть {n} завтра.|Без монтажа.',
    commonTags: 'рек рекомендации fyp юмор врек топ тренд россия reels',
    names:
      'anya dima katya misha olya pasha lera artem vika kostya nastya ilya dasha roma polina gleb sonya egor yana',
  }),
  language('ar', 3, 6, {
    captions:
      '{s}|لا أحد يتحدث عن {s}|{s} - الجزء {n}|جربت {s} وهذه النتيجة|{n} أسرار عن {s}|عندما {s} 😂|طريقة {s} في {n} دقائق|اليوم {n}: {s}|شاهد للنهاية… {s}',
    lines: 'احفظ الفيديو 🔖|ما رأيكم؟ 👇|الجزء {n} غداً إن شاء الله.',
    commonTags: 'اكسبلور fyp ترند السعودية مصر explore foryou لايك اكسبلورر',
    names:
      'noor omar layla yousef salma khaled reem faisal huda tariq dana sami amal ziad rana adel maha nasser lubna',
  }),
  language('he', 2, 2, {
    captions:
      '{s}|אף אחד לא מדבר על {s}|{s}, חלק {n}|ניסיתי {s} וזה מה שקרה|{n} טיפים ל{s}|כש{s} 😂|יום {n}: {s}',
    lines: 'שמרו לאחר כך!|מה דעתכם? 👇|חלק {n} מחר.',
    commonTags: 'פוריו fyp ישראל ויראלי foryou טיקטוקישראל',
    names:
      'noa itai maya yoni tamar guy shira ori yael amit roni lior shaked eitan adi omer gal nir hila',
  }),
  language('hi', 5.5, 8, {
    captions:
      '{s}|{s} के बारे में कोई नहीं बताता|{s}, भाग {n}|जब घर में {s} 😂|{n} मिनट में {s}|मैंने {s} ट्राई किया|दिन {n}: {s}|रुको ज़रा… {s}',
    lines: 'सेव करके रख लो!|कमेंट में बताओ 👇|भाग {n} कल आएगा।',
    commonTags: 'fyp trending viral india foryou reels explore reelsindia वायरल comedy',
    names:
      'aarav diya kabir anaya rohan isha vivaan meera arjun kavya dev riya neel tara yash pooja karan sia veer',
  }),
  language('ko', 9, 8, {
    captions:
      '{s}|{s} 해봤습니다|아무도 모르는 {s}|{s} {n}탄|{n}분 만에 끝내는 {s}|진짜 {s} 실화인가요?|요즘 난리난 {s}|{s} 하는 법 (초간단)|{n}일차 {s} ㅋㅋㅋ|"{s}" 이게 된다고?',
    lines: '저장 필수!|여러분 생각은? 👇|{n}탄도 기대해 주세요.|끝까지 보세요 🙏',
    commonTags: '추천 fyp 쇼츠 shorts 추천떠라 릴스 일상 viral 유머 틱톡',
    names:
      'minji jihoon seoyeon hyunwoo yuna dohyun haeun junseo sora taemin bora jaewon nari woojin dahye siwoo garam eunji kyungho',
  }),
  language('ja', 9, 9, {
    captions:
      '{s}|誰も教えてくれない{s}|{s}、その{n}|{n}分でできる{s}|まさかの{s}だった…|今話題の{s}をやってみた|{s}が止まらないｗ|【検証】{s}|{n}日目の{s}|最後まで見て！{s}',
    lines: '保存して見返してね！|コメントで教えて👇|その{n}も近日公開。|音量注意🔊',
    commonTags: 'おすすめ fyp バズれ おすすめにのりたい shorts リール 日常 viral 運営さん大好き',
    names:
      'yui haruto sakura ren aoi sota hina yuto mio riku akari kaito nana daiki emi shun rin taiga kotone',
  }),
  language('zh', 8, 4, {
    captions:
      '{s}|沒人告訴你的{s}|{s}，第{n}集|{n}分鐘學會{s}|終於等到{s}了😭|挑戰{s}！|第{n}天：{s}|原來{s}這麼簡單？',
    lines: '記得收藏！|你覺得呢？👇|第{n}集明天見。',
    commonTags: '推薦 fyp 台灣 熱門 foryou 日常 搞笑 抖音 reels',
    names:
      'xiaomei weijie yating haoyu peishan junjie siyu zhiwei meiling boyu ruolan kaixiang yuqing mingde jiaxin tianyu anqi guanlin shuhui',
  }),
  language('th', 7, 3, {
    captions:
      '{s}|ไม่มีใครพูดถึง{s}|{s} ตอนที่ {n}|ลอง{s}แล้วเจอแบบนี้|{n} เรื่องของ{s}|เมื่อ{s} 😂|วันที่ {n}: {s}',
    lines: 'เซฟไว้เลย!|คิดยังไงกันบ้าง 👇|ตอนที่ {n} พรุ่งนี้',
    commonTags: 'fyp เทรนด์วันนี้ ฟีด viral ขึ้นฟีดเถอะ foryou tiktokuni',
    names:
      'ploy nat fah bank mint golf praew ton bow arm fern boss gift kla pim beam jane win nong',
  }),
];
