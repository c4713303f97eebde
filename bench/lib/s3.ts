import { join } from 'node:path';
import { NODE, startServer } from './processes.ts';

/** Settings with which a server stores its archives at the endpoint of an S3 server. */
export function s3Settings(endpoint: string): Readonly<Record<string, string>> {
  return {
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
    PINFOLD_STORAGE_URL: `s3://bench/sites?endpoint=${encodeURIComponent(endpoint)}`,
  };
}

/** Starts an S3 server with the bucket `bench`, in a process of its own, on a core or on any. */
export async function startBenchS3(core: number | undefined) {
  const command = [...NODE, join(import.meta.dirname, '../servers/s3.ts')];
  const server = await startServer(command, {}, { core, answers: true });
  const endpoint = await server.ask<string>('endpoint');
  return { ...server, endpoint, settings: s3Settings(endpoint) };
}
