// Loaded before a server's script or the command, it takes the modules that are in the bundle of the server from there,
// whoever imports them. They are known by their file: a package with another release of its own gets that. There is no
// hook for loading: before 22.22.3 and 24.11, Node with one does not load Express.
import { readFileSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, server } from './bundles.mjs';

const urlOf = (path) => pathToFileURL(`${root}/${path}`).href;

/** The record of the bundle; an empty one if a file has been deleted since, for a process that a running server starts. */
function readRecord() {
  try {
    const note = JSON.parse(readFileSync(server.record, 'utf8'));
    for (const [file] of note.made) statSync(`${root}/${file}`);
    return note;
  } catch {
    return { modules: {}, importers: {} };
  }
}

const { modules, importers } = readRecord();
const places = new Map(Object.entries(modules).map(([module, file]) => [urlOf(module), urlOf(file)]));
const folders = new Set([...places.values()].map((url) => dirname(url)));

registerHooks({
  resolve(specifier, context, next) {
    const importer = folders.has(dirname(context.parentURL ?? '')) ? importers[specifier] : undefined;
    const parent = importer === undefined ? {} : { parentURL: urlOf(importer) };
    const found = next(specifier, { ...context, ...parent });
    const url = places.get(found.url);
    return url === undefined ? found : { ...found, url, format: 'module' };
  },
});
