import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { clientOf, outgoingBytes, prefersGzip } from '@pinfold/http/internal';
import type { Request, Response } from 'express';

/** The names of the files that pages load. Each contains a hash of the content. */
interface AssetNames {
  readonly style: string;
  readonly script: string;
  readonly publish: string;
  readonly worker: string;
  readonly icon: string;
}

export interface Assets {
  readonly names: AssetNames;
  /** @param client returns the client's address. */
  serve(name: string, request: Request, response: Response, client: () => string): boolean;
}

const FOLDER = join(import.meta.dirname, '..', 'dist', 'assets');
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** @throws Error `ENOENT` in a clone where the package's `build` script has not run yet. */
export function loadAssets(): Assets {
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as {
    readonly entries: AssetNames;
    readonly files: readonly string[];
  };
  const files = new Map(
    manifest.files.map((name) => {
      const plain = readFileSync(join(FOLDER, name));
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      return [name, { type, plain, gzipped: gzipSync(plain, { level: 9 }) }] as const;
    }),
  );
  return {
    names: manifest.entries,
    serve: (name, request, response, client) => {
      const asset = files.get(name);
      if (asset === undefined) return false;
      const isGzipped = prefersGzip(request.headers['accept-encoding']);
      const body = isGzipped ? asset.gzipped : asset.plain;
      const refusal = outgoingBytes.refusal(body.length);
      if (refusal !== undefined) {
        response.status(503).set('Retry-After', String(refusal.seconds)).end();
        return true;
      }
      response.set({
        'Content-Type': asset.type,
        'Content-Length': String(body.length),
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
      });
      if (isGzipped) response.set('Content-Encoding', 'gzip');
      response.end(request.method === 'HEAD' ? undefined : body);
      outgoingBytes.followWritten(response, () => clientOf(client()));
      return true;
    },
  };
}
