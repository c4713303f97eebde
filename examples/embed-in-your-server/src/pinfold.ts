import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { createUseCases, days, type UseCases } from '@pinfold/core';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory } from '@pinfold/core/history';
import { createSharing } from '@pinfold/core/sharing';
import { type Authenticate, createApi } from '@pinfold/http-express';
import { openSqlite } from '@pinfold/persistence-sqlite';
import {
  HmacGrantSigner,
  NodeMachine,
  RandomIds,
  ScryptPasswordHasher,
  SystemClock,
} from '@pinfold/platform-node';
import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import { createViewer } from '@pinfold/viewer';
import type { Express } from 'express';

/** The parts of Pinfold that depend on the embedding server. */
export interface PinfoldOptions {
  /** An absolute path; the folder must exist. */
  readonly dataDir: string;
  /** The address of the server: `https://intranet.example`. */
  readonly publicUrl: string;
  /** Signs viewing grants; the same on every node. */
  readonly secret: string;
  /** Identifies the caller, by the server's own sign-in. */
  readonly authenticate: Authenticate;
}

/** Pinfold as a part of another server. */
export interface Pinfold {
  readonly useCases: UseCases;
  /** Drops old events of the history and archives that are no longer needed; call it every ten minutes. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** Mounts API and viewer. It comes before anything that reads bodies or looks at paths. */
export async function mountPinfold(app: Express, options: PinfoldOptions): Promise<Pinfold> {
  const { dataDir, publicUrl, secret, authenticate } = options;
  const clock = new SystemClock();
  const sqlite = await openSqlite({ file: join(dataDir, 'pinfold.sqlite') });
  await sqlite.migrate();
  const staging = await openFsStaging({ folder: join(dataDir, 'staging'), clock });
  const archives = await openFsArchiveStorage({ folder: join(dataDir, 'archives'), staging, clock });
  const inspector = new ZipArchiveInspector();
  const passwords = new ScryptPasswordHasher();
  const grants = new HmacGrantSigner({ secrets: [secret] });
  const host = { clock, machine: new NodeMachine(), ids: new RandomIds() };
  const ports = { ...sqlite, persistence: sqlite, staging, archives, inspector, passwords, grants, ...host };
  const limits = { lifetime: days(30) };
  const useCases = {
    ...createUseCases(ports, limits, { publicUrl }),
    ...createSharing(ports, limits, { publicUrl }),
  };
  const history = createHistory(ports);
  const cleaning = createCleaning(ports, limits);
  const viewer = createViewer({ useCases, publicUrl });
  app.use(viewer);
  const { createGrant, openArchive } = viewer;
  app.use(createApi({ useCases, createGrant, openArchive, publicUrl, authenticate }));
  return {
    useCases,
    sweep: async () => {
      await history.sweep();
      await cleaning.cleanUp();
    },
    close: async () => {
      await inspector.close();
      await sqlite.close();
    },
  };
}
