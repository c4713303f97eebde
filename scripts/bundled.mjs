// Loaded before a server's script, it takes the modules that are in the bundle of the server from there, whoever imports
// them. They are asked for by their file: a package with another release of its own gets that.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { root, server } from './bundles.mjs';

const { modules } = JSON.parse(readFileSync(server.record, 'utf8'));
const urlOf = (path) => pathToFileURL(`${root}/${path}`).href;
const places = new Map(Object.entries(modules).map(([module, file]) => [urlOf(module), urlOf(file)]));

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const url = places.get(found.url);
    return url === undefined ? found : { ...found, url, format: 'module' };
  },
});
