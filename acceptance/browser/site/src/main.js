import '@fontsource/inter/latin-400.css';
import './style.css';
import boat from './boat.svg?no-inline';

const report = document.querySelector('#report');

function say(name, value) {
  const line = document.createElement('li');
  line.dataset.name = name;
  line.textContent = value;
  report.append(line);
}

async function attempt(name, work) {
  try {
    say(name, await work());
  } catch (error) {
    say(name, `failed: ${error.name}`);
  }
}

function loaded(image) {
  return new Promise((resolve, reject) => {
    image.addEventListener('load', () => resolve(`${image.naturalWidth}`));
    image.addEventListener('error', () => reject(new Error('image')));
    image.src = boat;
  });
}

document.querySelector('#where').textContent = location.pathname;
await attempt('module', () => 'runs');
await attempt('chunk', async () => (await import('./tides.js')).tides());
await attempt('fetch', async () => {
  const answer = await fetch(new URL(`${import.meta.env.BASE_URL}tides.json`, document.baseURI));
  return (await answer.json()).harbour;
});
await attempt('image', () => loaded(document.querySelector('#picture')));
await attempt('font', async () => `${(await document.fonts.load('16px Inter')).length}`);
await attempt('style', () => getComputedStyle(document.body).getPropertyValue('--harbour').trim());
await attempt('worker', async () => {
  if (!('serviceWorker' in navigator)) return 'none here';
  await navigator.serviceWorker.register(`${import.meta.env.BASE_URL}worker.js`);
  return 'registered';
});
say('done', 'yes');
