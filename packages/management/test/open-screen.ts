import { type AccountId, accountId, OPERATOR, type Publication, type RoleId } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import express from 'express';
import { zipSync } from 'fflate';
import {
  type Inside,
  openService,
  type ServiceOptions,
  type TestService,
} from 'pinfold-test-servers/service';
import { createManagement, type ManagementOptions, type RequestEntry } from '../src/index.ts';
import { Person } from './person.ts';

export const OWNER: AccountId = accountId('owner');

/** The cause of an operator's changes. */
export const BY_ADA = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;

const opened: TestService<Memory>[] = [];

// The pictures of the documents are taken without Mocha.
if (typeof afterEach === 'function') {
  afterEach('the screens of the test are closed', async () => {
    for (const service of opened.splice(0)) await service.close();
  });
}

/** The screen with a database in memory and a clock that the test controls, until the test has ended. */
export interface Screen
  extends Pick<
    TestService<Memory>,
    'clock' | 'useCases' | 'keys' | 'sessions' | 'history' | 'administration' | 'server' | 'close'
  > {
  readonly url: string;
  readonly base: string;
  readonly memory: Memory;
  readonly log: RequestEntry[];
  /** The publications of the owner's account. */
  owned(): Promise<readonly Publication[]>;
  /** A publication of the owner's, as it is now. */
  read(id: RoleId): Promise<Publication>;
  /** A person who has signed in, to the owner's account unless another one is named. */
  signedIn(account?: AccountId, scope?: 'admin' | 'manage'): Promise<Person>;
  /** Gives a publication a password. */
  protect(id: RoleId, password: string): Promise<unknown>;
  publish(
    title: string | null,
    files?: Readonly<Record<string, string>>,
    account?: AccountId,
  ): Promise<Publication>;
}

/** Settings that a test may change. */
export interface ScreenOptions extends ServiceOptions {
  readonly management?: Partial<ManagementOptions>;
  /** The path at which the screen is mounted. Default: `/manage`. */
  readonly mount?: string;
  /** The public URL, when it is not the server's own address. */
  readonly publicUrl?: string;
}

export async function openScreen(options: ScreenOptions = {}): Promise<Screen> {
  const { management = {}, mount = '/manage', publicUrl, ...serviceOptions } = options;
  const log: RequestEntry[] = [];
  const doors = ({ sessions, publicPort, ...parts }: Inside): express.Express => {
    const screen = createManagement({
      unknownPaths: 'refuse',
      ...parts,
      openArchive: parts.useCases.openArchive,
      ...(management.authenticate === undefined ? { sessions } : {}),
      publicUrl: publicUrl ?? `http://localhost:${publicPort}`,
      log: (entry) => log.push(entry),
      ...management,
    });
    return express().use(mount, screen);
  };
  const service = await openService(createMemory(), doors, serviceOptions);
  opened.push(service);
  const base = `http://localhost:${service.port}/manage`;
  return {
    ...service,
    url: publicUrl ?? `http://localhost:${service.port}`,
    base,
    owned: async () => {
      const listed = await service.useCases.list({ by: OWNER, limit: 100 });
      if (listed.kind !== 'page') throw new Error(listed.code);
      return listed.publications;
    },
    read: async (id) => {
      const found = await service.useCases.read({ by: OWNER, id });
      if (found.kind !== 'found') throw new Error(found.code);
      return found.publication;
    },
    signedIn: async (account = OWNER, scope = 'manage') => {
      const person = new Person(base);
      await person.signIn((await service.sessions.offerLink(account, BY_ADA, scope)).token);
      return person;
    },
    protect: (id, password) =>
      service.useCases.update({ by: OPERATOR, id }, { type: 'set_password', password }),
    memory: service.stores,
    log,
    publish: (title, files = { 'index.html': '<h1>Hello</h1>' }, account = OWNER) =>
      service.publish(zipOf(files), { by: account, title }),
  };
}

/** The screen of the running test, and a person who has signed in to the owner's account, from {@link openSignedIn} on. */
export let screen: Screen;
export let person: Person;

export async function openSignedIn(options: ScreenOptions = {}): Promise<void> {
  screen = await openScreen(options);
  await signIn();
}

export async function signIn(): Promise<void> {
  person = await screen.signedIn();
}

/** A ZIP of some files, the same bytes each time: a repeated upload must equal the first. */
export function zipOf(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const contents = Object.entries(files).map(
    ([path, text]) => [path, new TextEncoder().encode(text)] as const,
  );
  return zipSync(Object.fromEntries(contents), { mtime: new Date('2026-11-20T12:00:00') });
}
