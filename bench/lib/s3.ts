import { join } from 'node:path';
import { NODE, type RunningServer, startServer } from './processes.ts';

/** An S3 server in a process of its own, with the bucket `bench`. */
export interface BenchS3 extends RunningServer {
  readonly endpoint: string;
  /** The settings of a server that keeps its archives there. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Settings that make a server keep its archives at an S3 server's endpoint. */
export function s3Settings(endpoint: string): BenchS3['settings'] {
  return {
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
    PINFOLD_STORAGE_URL: `s3://bench/sites?endpoint=${encodeURIComponent(endpoint)}`,
  };
}

/** Starts one on a core, or on any. */
export async function startBenchS3(core: number | undefined): Promise<BenchS3> {
  const command = [...NODE, join(import.meta.dirname, '../servers/s3.ts')];
  const server = await startServer(command, {}, { core, answers: true });
  const endpoint = await server.ask<string>('endpoint');
  return { ...server, endpoint, settings: s3Settings(endpoint) };
}
