import { createMemory, type Memory } from '@pinfold/memory';
import type { ApiDocument, HttpService } from '@pinfold/test-contracts';
import express from 'express';
import {
  contractKeys,
  type Inside,
  openService,
  type ServiceOptions,
  type TestService,
} from 'pinfold-test-servers/service';
import {
  type ApiOptions,
  administrationDocument,
  apiKeyAuthentication,
  createApi,
  type RequestEntry,
} from '../src/index.ts';

const opened: Rig[] = [];
afterEach('the services that the test opened are closed', async () => {
  for (const rig of opened.splice(0)) await rig.close();
});

/** The API on a real socket, which closes after its test, over stores in memory and uploads in a folder of its own. */
export interface Rig
  extends Pick<
    TestService<Memory>,
    'port' | 'server' | 'clock' | 'views' | 'administration' | 'cleaning' | 'useCases' | 'uploads' | 'close'
  > {
  readonly baseUrl: string;
  readonly memory: Memory;
  readonly manageKeys: Inside['keys'];
  readonly log: RequestEntry[];
  readonly keys: HttpService['keys'];
  /** As the API returns it. */
  readonly document: ApiDocument;
  /** The document of the administration. */
  readonly administrationDocument: ApiDocument;
}

/** The parts that a test replaces. */
export type RigOptions = ServiceOptions & { readonly api?: Partial<ApiOptions> | undefined };

/** The API alone, at the public URL. */
export function apiAlone(
  { useCases, keys, history, views, administration, publicPort }: Inside,
  api: Partial<ApiOptions> = {},
): express.Express {
  const authenticate = apiKeyAuthentication(keys);
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  return express().use(
    createApi({
      unknownPaths: 'refuse',
      useCases,
      openArchive: useCases.openArchive,
      history,
      views,
      administration,
      publicUrl,
      authenticate,
      ...api,
    }),
  );
}

export async function openRig({ api, ...options }: RigOptions = {}): Promise<Rig> {
  const log: RequestEntry[] = [];
  const doors = (inside: Inside) => apiAlone(inside, { log: (entry) => log.push(entry), ...api });
  const service = await openService(createMemory(), doors, options);
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const details = await fetch(`${baseUrl}/openapi.json`, { headers: { connection: 'close' } });
  const document = (await details.json()) as ApiDocument;
  log.length = 0;
  const rig: Rig = {
    ...service,
    baseUrl,
    document,
    administrationDocument: administrationDocument({ publicUrl: baseUrl }) as unknown as ApiDocument,
    memory: service.stores,
    manageKeys: service.keys,
    log,
    keys: await contractKeys(service.keys),
  };
  opened.push(rig);
  return rig;
}
