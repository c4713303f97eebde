import { strToU8, zipSync } from 'fflate';

/** A hostile site: it tries to read foreign data, and reports the result. */
export function snooper(service: string, sharedUrl: string, neighbour: string): Uint8Array<ArrayBuffer> {
  const page = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Snooper</title></head>
  <body>
    <ul id="report"></ul>
    <script type="module" src="snoop.js"></script>
  </body>
</html>`;
  const targets = { service, sharedUrl, neighbour };
  const script = `const targets = ${JSON.stringify(targets)};\n${SNOOP}`;
  return zipSync({ 'index.html': strToU8(page), 'snoop.js': strToU8(script) }, { mtime: '2026-11-20' });
}

const SNOOP = `
function say(name, value) {
  const line = document.createElement('li');
  line.dataset.name = name;
  line.textContent = value;
  document.querySelector('#report').append(line);
}

async function attempt(name, work) {
  try {
    say(name, (await work()) || 'nothing');
  } catch (error) {
    say(name, 'failed: ' + error.name);
  }
}

function frame(url) {
  return new Promise((resolve) => {
    const element = document.createElement('iframe');
    element.addEventListener('load', () => resolve(element));
    element.src = url;
    document.body.append(element);
    setTimeout(() => resolve(element), 3_000);
  });
}

const read = (url, init) => async () => (await fetch(url, init)).text();
const home = new URL('/', targets.service);
await attempt('neighbour by fetch', read(targets.neighbour, { credentials: 'include' }));
await attempt('shared page by fetch', read(targets.sharedUrl, { credentials: 'include' }));
await attempt('API by fetch', read(new URL('/api/v1/pins', home), { credentials: 'include' }));
await attempt('API with a header', read(new URL('/api/v1/pins', home), { headers: { authorization: 'Bearer x' } }));
await attempt('openapi by fetch', read(new URL('/openapi.json', home)));
await attempt('neighbour in a frame', async () => {
  const element = await frame(targets.neighbour);
  return element.contentDocument?.body?.textContent;
});
await attempt('neighbour in a window', async () => {
  const opened = window.open(targets.neighbour);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return opened?.document?.body?.textContent;
});
await attempt('cookies', async () => document.cookie);
await attempt('storage', async () => Object.keys(localStorage).join());
say('done', 'yes');
`;
