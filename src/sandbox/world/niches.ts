/** Topic of a group of creators, with its tags. */
export interface Niche {
  readonly id: string;
  readonly language: string;
  /** Share of its language's videos, on any scale. */
  readonly weight: number;
  readonly emoji: readonly string[];
  /** The commonest first. */
  readonly tags: readonly string[];
  readonly subjects: readonly string[];
}

// language, name and weight | emoji | tags | subjects
const TABLE = `
en cooking 10 | 🍳 🧄 🍝 🤤 | recipe easyrecipe cooking foodtok dinnerideas foodie onepan comfortfood homecook whatieatinaday | the crispiest smash burger / one-pan lemon pasta / garlic butter noodles / my grandma's dumplings / a $5 dinner for four / brown butter cookies / the 3-ingredient bread
en dance 9 | 💃 🕺 🔥 | dance dancechallenge choreography dancetok hiphop dancer dc footwork | this choreography / the hallway dance / dancing with strangers / learning the footwork / a first class at 40 / the slow-mo shuffle
en gym 7 | 💪 🏋️ 🥵 | gym gymtok fitness workout legday gymmotivation physique cutting calisthenics | my first muscle-up / leg day at 5am / the 12-week cut / a pull-up every hour / gym crush energy / the deadlift PR
en booktok 4 | 📚 🥲 🕯️ | booktok books bookrecs reading romantasy bookish tbr annotating spicybooks | the plot twist on page 312 / annotating for my best friend / a reading slump cure / my unhinged shelf tour / the last chapter
en pets 9 | 🐶 🐱 🐾 😂 | dogsoftiktok catsoftiktok pets goldenretriever funnydogs cat puppy rescue kitten | my dog meeting snow / the cat who opens doors / a rescue's first day home / golden retriever logic / when the vet is near / two kittens and one box
en gaming 9 | 🎮 😭 🏆 | gaming gamer speedrun clutch minecraft fortnite cozygames indiegame setup | a 1v4 clutch / the any% skip / building a city in creative / my cozy desk setup / the boss nobody beats / losing to a nine-year-old
en beauty 6 | 💄 ✨ 💅 | makeup grwm skincare beautyhacks glowup getreadywithme nails skintok cleangirl | a five-minute face / my acne journey / glass skin on a budget / the $4 blush / getting ready for a wedding / chrome nails at home
en diy 4 | 🔨 🏡 🪵 | diy homeimprovement woodworking beforeandafter renovation thrifted smallspaces restoration | the pantry makeover / restoring a 1940s chair / renter-friendly walls / a table from pallets / the $100 bathroom
en comedy 9 | 😂 💀 😭 | comedy relatable skit humor standup couple pov siblings | the group chat going silent / every airport dad / my manager on Friday / the neighbour with the leaf blower / explaining memes to grandpa / meeting his parents
en science 4 | 🧪 🤯 🔭 | science learnontiktok space physics facts experiment chemistry stem | the ferrofluid trick / what happens inside a black hole / liquid nitrogen and a tomato / the loudest sound ever / a magnet in slow motion
en travel 5 | ✈️ 🌊 🌅 | travel traveltok hiddengems vanlife solotravel backpacking roadtrip bucketlist | a night train through the Alps / sleeping in an airport / the island with no cars / 24 hours in Lisbon / my van at -20°
en fossilhunting 1 | 🦕 🪨 | fossils fossilhunting ammonite rockhounding beachfinds geology mudlarking | cracking a 180-million-year-old rock / the ammonite in the cliff / a megalodon tooth / mudlarking at low tide
en analog 1 | 📼 📷 | filmcamera analog 35mm camcorder y2k disposablecamera tapedeck digicam | a camcorder from 1997 / one roll, one day / developing film in coffee / the walkman repair
es cocina 8 | 🌮 🍲 🤤 | receta recetasfaciles cocina comida recetas antojo casero sinhorno | tacos al pastor en casa / la tortilla perfecta / arepas rellenas / un flan sin horno / las croquetas de mi abuela
es futbol 9 | ⚽ 🔥 🥅 | futbol golazo laliga messi championsleague seleccion futbolera libremx | el gol del año / un penal al minuto 90 / la remontada / mi primer partido en el estadio / el portero que marcó
es humor 7 | 😂 🤡 💀 | humor comedia risas mamás familia parejas latinos | mi mamá cuando llega visita / el primo que todo lo sabe / las tías en Navidad / el grupo de WhatsApp familiar
es baile 5 | 💃 🎶 | baile bachata reggaeton salsa coreografia bailando | una bachata improvisada / la coreo del momento / bailar con mi abuelo / el reto del barrio
pt comida 7 | 🍫 🥘 | receita receitafacil comida brigadeiro airfryer cozinha | brigadeiro de colher / pão de queijo na airfryer / feijoada da vó / bolo de pote
pt futebol 7 | ⚽ 🇧🇷 | futebol brasileirao flamengo gol craque selecao | o golaço do menino / a torcida no busão / um drible impossível / a final de 2005
pt humor 7 | 🤣 😂 | humor comedia memes risada casal familia | minha mãe no mercado / o tio do pavê / trabalhar de casa / a fila do banco
de alltag 6 | 😅 🥨 | comedy alltag büro deutschebahn typischdeutsch witzig | die Deutsche Bahn / der Kollege am Montag / Lüften im Winter / Pfand wegbringen / der Nachbar um 22 Uhr
de backen 4 | 🥖 🎂 | backen rezept brot sauerteig kuchen rezeptidee | ein Sauerteigbrot / Omas Apfelkuchen / Franzbrötchen / der schnellste Zwiebelkuchen
fr cuisine 5 | 🥐 🧀 | recette cuisine gourmand patisserie recettefacile batchcooking | un croissant maison / la raclette parfaite / un fondant au chocolat / les crêpes de mamie
fr mode 4 | 👗 ✨ | mode ootd tenue friperie outfit vinted | une tenue à 20 € / mes trouvailles en friperie / le trench idéal / s’habiller à Paris
tr yemek 6 | 🍲 🥙 | yemek tarif kolaytarif lezzet sokaklezzetleri kahvaltı | anne köftesi / köy usulü menemen / sokak lezzetleri turu / çıtır mantı / güllü lokum
tr dizi 6 | 🎬 😭 | dizi sahne dizikeyfi altyazı edit | finaldeki o sahne / en sevdiğim replik / kamera arkası / o bakış
id kuliner 7 | 🍜 🔥 | kuliner makananindonesia mukbang pedas resep jajanan | bakso jumbo / nasi goreng gila / seblak level 10 / jajanan SD / sambal matah
id komedi 6 | 😂 🙏 | komedi lucu ngakak kocak sekolah kosan | emak-emak naik motor / anak kos tanggal tua / guru killer masuk kelas / tetangga karaoke
vi amthuc 6 | 🍲 🌶️ | ancungtiktok amthuc monngon reviewanngon bepnha | bún bò Huế chuẩn vị / bánh mì 10 nghìn / lẩu cay cấp 7 / trà sữa tự làm
vi dulich 3 | 🏞️ ✈️ | dulich phuot dalat review checkin | Đà Lạt mùa mưa / săn mây Tà Xùa / phượt Hà Giang / homestay giữa rừng
ru yumor 6 | 😂 🐻 | юмор приколы жиза смешно школа работа | понедельник в офисе / бабушка и умная колонка / сосед с перфоратором / кот и ёлка / зима в апреле
ru kukhnya 4 | 🥟 🍰 | рецепт вкусно готовимдома выпечка рецепты | домашние пельмени / медовик без духовки / борщ за час / сырники мечты
ar tabkh 5 | 🍛 🤲 | طبخ وصفات اكلات مطبخ حلويات | كبسة الدجاج / كنافة بالقشطة / شاورما البيت / خبز بدون فرن
ar komedia 5 | 😂 😅 | كوميديا ضحك مقاطع_مضحكة يوميات تحدي | أمي والواي فاي / أول يوم دوام / أبي يقود السيارة / ضيوف بدون موعد
he okhel 3 | 🥙 😋 | אוכל מתכון מתכונים בישול | שקשוקה מושלמת / חלה של שבת / חומוס ביתי / סביח אמיתי
he bidur 3 | 😂 🎸 | קורע מצחיק צבא בדיחות | אמא בסופר / הסבתא והטלפון / התור בדואר / הבוס ביום ראשון
hi khana 6 | 🍛 🌶️ | खाना streetfood indianfood recipe desikhana | दादी के पराठे / दिल्ली की चाट / झटपट नाश्ता / बटर चिकन / मसाला चाय
hi cricket 7 | 🏏 🇮🇳 | cricket ipl viratkohli msdhoni cricketlover | आख़िरी ओवर का छक्का / गली क्रिकेट के नियम / वो सुपर ओवर / धोनी का हेलीकॉप्टर शॉट
hi comedy 6 | 😂 🤣 | comedy funny desi hindimemes relatable | मम्मी का फ़ोन / पड़ोस वाली आंटी / परीक्षा से एक रात पहले / शादी का बुफे
ko meokbang 6 | 🍜 🤤 | 먹방 맛집 자취요리 레시피 편의점 야식 | 편의점 꿀조합 / 엄마표 김치찌개 / 불닭 로제 떡볶이 / 자취생 만원 한 끼 / 성수동 맛집
ko kpop 7 | 🎤 💜 | kpop 직캠 아이돌 컴백 챌린지 커버댄스 | 이번 컴백 안무 / 레전드 직캠 / 연습생 브이로그 / 포인트 안무 챌린지 / 콘서트 앙코르
ko ilsang 5 | 🐹 ☕ | 일상 브이로그 직장인 공부 갓생 | 퇴근 후 루틴 / 새벽 5시 기상 / 회사 막내의 하루 / 시험 전날
ja ryouri 6 | 🍙 😋 | 料理 レシピ お弁当 時短レシピ 簡単レシピ 自炊 | 究極の卵かけご飯 / お弁当の定番おかず / バズった無限キャベツ / ふわとろ親子丼 / 母の唐揚げ
ja dobutsu 6 | 🐈 🐕 | 猫 柴犬 ねこのいる生活 犬のいる暮らし 癒し | 猫の寝起き / 柴犬のお風呂 / 保護猫の一年 / 帰宅した時の犬 / 子猫と毛糸
ja aruaru 5 | 🤣 🏫 | あるある 学生 コント 会社員 爆笑 | 授業中のあるある / 上司の一言 / 部活の先輩 / 電車の寝過ごし
zh meishi 4 | 🧋 🍲 | 美食 夜市 小吃 料理 食譜 | 士林夜市的雞排 / 手作珍珠奶茶 / 阿嬤的滷肉飯 / 番茄炒蛋
zh luxing 3 | 🏔️ 🚂 | 旅行 旅遊 秘境 登山 露營 | 阿里山日出 / 環島第三天 / 合歡山的星空 / 無人的海邊
th ahan 4 | 🌶️ 🍜 | อาหาร ของอร่อย รีวิว เมนูง่ายๆ | ส้มตำปูปลาร้า / กะเพราไข่ดาว / ชานมไข่มุก / ร้านลับเยาวราช
th talok 3 | 🤣 🙏 | ตลก ฮา ขำๆ ครอบครัว | แม่ไลน์มาตอนประชุม / วันแรกที่ทำงาน / หมาข้างบ้าน / เพื่อนยืมเงิน
`;

const nicheOf = (row: string): Niche => {
  const [head = '', emoji = '', tags = '', subjects = ''] = row.split(' | ');
  const [language = '', name, weight] = head.split(' ');
  return {
    id: `${language}-${name}`,
    language,
    weight: Number(weight),
    emoji: emoji.split(' '),
    tags: tags.split(' '),
    subjects: subjects.split(' / '),
  };
};

export const NICHES: readonly Niche[] = TABLE.trim().split('\n').map(nicheOf);

const byLanguage = Map.groupBy(NICHES, (niche) => niche.language);

/** The niches of a language, always in the same order. */
export const nichesOf = (language: string): readonly Niche[] => byLanguage.get(language) ?? [];
