// Loaded before a server's script, it gives the modules that are in the bundle of the server their content from there,
// whoever imports them. They are known by their file: a package with another release of its own gets that.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, server } from './bundles.mjs';

const urlOf = (path) => pathToFileURL(`${root}/${path}`).href;

/** What the bundle has; nothing where the note of it is gone while a server runs, and starts another process. */
function noted() {
  try {
    return JSON.parse(readFileSync(server.record, 'utf8'));
  } catch {
    return { modules: {}, importers: {} };
  }
}

const { modules, importers } = noted();
const places = new Map(Object.entries(modules).map(([module, file]) => [urlOf(module), urlOf(file)]));
const folders = new Set([...places.values()].map((url) => dirname(url)));

registerHooks({
  resolve(specifier, context, next) {
    const importer = folders.has(dirname(context.parentURL ?? '')) ? importers[specifier] : undefined;
    return next(specifier, importer === undefined ? context : { ...context, parentURL: urlOf(importer) });
  },
  load(url, context, next) {
    const place = places.get(url);
    if (place === undefined) return next(url, context);
    return { format: 'module', source: `export * from ${JSON.stringify(place)};`, shortCircuit: true };
  },
});
