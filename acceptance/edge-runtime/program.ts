// A program for a runtime that knows the web's standards alone: the use cases over stores in memory, with Web Crypto and a
// proof of the archive that was made elsewhere.
import {
  type ApiKeySecrets,
  type ArchiveInspector,
  type ArchiveListing,
  type ArchiveProof,
  accountId,
  createUseCases,
  type Grant,
  type GrantSigner,
  type Ids,
  instant,
  OPERATOR,
  type Password,
  type PasswordHash,
  type PasswordHasher,
  type Ports,
  type Sha256,
  type StagedArchive,
  type Staging,
} from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { archiveIdOf } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';

/** The values that the host passes to the program. */
export interface ProgramInput {
  readonly archive: Uint8Array;
  readonly listing: ArchiveListing;
  readonly proof: ArchiveProof;
}

const encoder = new TextEncoder();

function hexOf(bytes: ArrayBuffer | Uint8Array): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256(bytes: Uint8Array): Promise<Sha256> {
  return hexOf(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))) as Sha256;
}

function staging(): Staging {
  return {
    receive: async (body, limit) => {
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of body) {
        size += piece.length;
        if (size > limit) return { kind: 'too_large' };
        pieces.push(piece);
      }
      const bytes = new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
      const archive: StagedArchive = {
        open: async function* () {
          yield bytes;
        },
        size,
        sha256: await sha256(bytes),
        discard: async () => {},
      };
      return { kind: 'received', archive };
    },
    sweep: async () => 0,
    countAbandoned: async () => 0,
    check: async () => {},
  };
}

async function signer(): Promise<GrantSigner> {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const mac = async (text: string) => hexOf(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return {
    sign: async (grant) => {
      const text = hexOf(encoder.encode(JSON.stringify(grant)));
      return `${text}.${await mac(text)}`;
    },
    verify: async (token) => {
      const [text = '', signature] = token.split('.');
      if ((await mac(text)) !== signature) return undefined;
      const bytes = text.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? [];
      return JSON.parse(new TextDecoder().decode(new Uint8Array(bytes))) as Grant;
    },
  };
}

const secrets: ApiKeySecrets = {
  mint: async () => {
    const secret = hexOf(crypto.getRandomValues(new Uint8Array(21))).padEnd(43, '0');
    const id = hexOf(crypto.getRandomValues(new Uint8Array(8)));
    const text = `pf_${id}_${secret}`;
    return { id: id as never, secretHash: await sha256(encoder.encode(secret)), text };
  },
  read: async (text) => {
    const [, id, secret] = /^pf_(\w+)_(\w{43})$/.exec(text) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    return { id: id as never, secretHash: await sha256(encoder.encode(secret)) };
  },
  same: async (one, other) => one === other,
};

const passwords: PasswordHasher = {
  hash: async (password: Password) => (await sha256(encoder.encode(password))) as string as PasswordHash,
  verify: async (password, hash) => (await sha256(encoder.encode(password))) === (hash as string),
};

const ids: Ids = {
  role: () => crypto.randomUUID() as never,
  archive: (at) => archiveIdOf(at, crypto.randomUUID()),
  token: () => crypto.randomUUID() as never,
  event: () => crypto.randomUUID() as never,
  nameToken: () => crypto.randomUUID().replaceAll('-', '').slice(0, 22) as never,
  digest: (text) => sha256(encoder.encode(text)),
};

/** Publishes a site, reads it, protects it, enters, and stops it; returns the outcome of each. */
export async function use({
  archive,
  listing,
  proof,
}: ProgramInput): Promise<Readonly<Record<string, unknown>>> {
  const memory = createMemory();
  const inspector: ArchiveInspector = { list: async () => listing, prove: async () => proof };
  const clock = { now: () => instant(Date.now()), sleep: async () => {} };
  const own = { staging: staging(), inspector, passwords, grants: await signer(), clock, ids };
  const ports: Ports = { ...memory, ...own };
  const useCases = createUseCases(ports);
  const keys = createKeys({ ...ports, apiKeys: memory.apiKeys, apiKeySecrets: secrets });

  const { text } = await keys.create({ by: OPERATOR, account: 'ada' });
  const key = await keys.authenticate(text);
  const by = accountId('ada');
  const request = { by, key: 'first', filename: 'site.zip', password: 'harbour lights', archive };
  const published = await useCases.publish(request);
  if (published.kind !== 'published') return { published };
  const { id } = published.publication;
  const again = await useCases.publish(request);
  const read = await useCases.read({ by, id });
  const entered = await useCases.enter({ id, password: 'harbour lights', address: '192.0.2.1' });
  const shown = await useCases.visit(id);
  if (entered.kind !== 'granted' || shown.kind !== 'published') return { entered, shown };
  const token = await useCases.grants.sign(entered.grant);
  const admitted = await useCases.grants.admit(shown, 'cookie', [`${token}0`, token]);
  const stopped = await useCases.stop({ by, id });
  return {
    account: key?.account,
    published: published.kind,
    again: again.kind,
    read: read.kind === 'found' && [read.publication.state, read.publication.fileCount],
    admitted: admitted !== undefined,
    stopped: stopped.kind,
    after: (await useCases.visit(id)).kind,
  };
}
