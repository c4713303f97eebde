import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** The names, with a hash of the content in each, of what pages load. */
export interface AssetNames {
  readonly style: string;
  readonly script: string;
  readonly publish: string;
  readonly worker: string;
  readonly icon: string;
}

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** The folder of both `src` and `dist`. */
const FOLDER = join(import.meta.dirname, '..', 'dist', 'assets');
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The stylesheet and the browser's modules, as the package's build wrote them. */
export class Assets {
  readonly names: AssetNames;
  readonly #files: ReadonlyMap<string, Asset>;

  constructor(names: AssetNames, files: ReadonlyMap<string, Asset>) {
    this.names = names;
    this.#files = files;
  }

  /** Answers a request for one of them; `false` for an unknown name. */
  serve(name: string, request: Request, response: Response): boolean {
    const asset = this.#files.get(name);
    if (asset === undefined) return false;
    response.set({
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    const zipped = request.acceptsEncodings('gzip') === 'gzip';
    if (zipped) response.set('Content-Encoding', 'gzip');
    response.end(zipped ? asset.zipped : asset.plain);
    return true;
  }
}

/**
 * Reads what the build wrote. They are few and small, and stay in memory.
 *
 * @throws Error `ENOENT` in a clone where the package's `build` script has not run yet.
 */
export function loadAssets(): Assets {
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as {
    readonly entries: AssetNames;
    readonly files: readonly string[];
  };
  const files = manifest.files.map((name) => {
    const plain = readFileSync(join(FOLDER, name));
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return [name, { type, plain, zipped: gzipSync(plain, { level: 9 }) }] as const;
  });
  return new Assets(manifest.entries, new Map(files));
}
