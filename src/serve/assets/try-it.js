// The box of /docs that sends requests with the reader's own key.
const part = (name) => document.getElementById(`try-${name}`);
const requests = JSON.parse(part('requests').textContent);
const shown = ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'Last-Modified'];
const chosen = () => requests[part('request').value];
const choose = () => {
  const { path, body } = chosen();
  part('path').value = path;
  part('body').hidden = body === undefined;
  part('body').value = body ?? '';
};
const addressOf = (path) => {
  const url = new URL(`/v1${path}`, location.origin);
  if (url.origin !== location.origin || !url.pathname.startsWith('/v1/'))
    throw new Error('The path must begin with / and stay below /v1.');
  return url;
};
const say = (text) => {
  part('status').textContent = text;
};
const send = async () => {
  const { method } = chosen();
  const headers = { Authorization: `Bearer ${part('key').value.trim()}` };
  const wish = { method, headers, credentials: 'omit', redirect: 'error', cache: 'no-store' };
  if (!part('body').hidden) {
    wish.body = part('body').value;
    headers['Content-Type'] = 'application/json';
  }
  const got = await fetch(addressOf(part('path').value), wish);
  const text = await got.text();
  const limits = shown.flatMap((name) =>
    got.headers.get(name) === null ? [] : [`${name}: ${got.headers.get(name)}`],
  );
  say(
    [
      `${got.status + (got.ok ? ' ok' : '')}, ${text.length.toLocaleString('en')} characters`,
      ...limits,
    ].join(' \u00b7 '),
  );
  part('response').hidden = false;
  let told = text;
  try {
    told = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  part('response').textContent =
    told.length > 200000 ? `${told.slice(0, 200000)}\n(cut off here)` : told;
};
part('request').addEventListener('change', choose);
part('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (part('key').value.trim() === '') {
    say('Give a key: the operator makes one with trendlake keys create.');
    part('key').focus();
    return;
  }
  say('asking ...');
  try {
    await send();
  } catch (error) {
    say(`Nothing came back: ${error.message}`);
  }
});
for (const button of document.querySelectorAll('[data-try]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    part('request').value = button.dataset.try;
    choose();
    document.getElementById('try').scrollIntoView();
    part(part('key').value === '' ? 'key' : 'path').focus();
  });
}
choose();
document.getElementById('try').hidden = false;
document.querySelector('[data-try-link]').hidden = false;
