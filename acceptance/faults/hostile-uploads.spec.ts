import { readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { after, hours, minutes, seconds } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import {
  archivePart,
  type MultipartForm,
  multipart,
  openRawConnection,
  type RawConnection,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { siteOf } from '../service/client.ts';
import { LOCAL_BACKENDS, type OwnedNode, openOwnedNode } from '../service/owned-node.ts';

type Service = OwnedNode<ManualClock>;

/** The numbers of resources that the service holds. */
interface Resources {
  readonly files: number;
  readonly uploads: number;
  readonly sockets: number;
  readonly reservations: number;
  readonly archives: number;
}

async function resourcesOf({ node, addresses: { folder }, clock }: Service): Promise<Resources> {
  const later = after(clock.now(), hours(1));
  const count = { now: clock.now(), endedBefore: clock.now(), begunBefore: later };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  node.server.getConnections((error, open) => (error === null ? resolve(open) : reject(error)));
  return {
    files: process.platform === 'linux' ? await openFiles(folder) : 0,
    uploads: (await node.uploads()).length,
    sockets: await promise,
    reservations: (await node.ports.roles.countForCleanup(count)).reservations,
    archives: (await node.ports.archives.list(undefined, 1_000)).length,
  };
}

/** Counts the open files of this process in a folder. */
async function openFiles(folder: string): Promise<number> {
  const inside = `${await realpath(folder)}/`;
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(inside)).length;
}

/** Sends the upload of an attacker, or a part of it. */
type Attack = (connection: RawConnection, head: string, body: Uint8Array) => Promise<void>;

const ATTACKS: Readonly<Record<string, Attack>> = {
  'aborts in the middle': async (connection, head, body) => {
    await connection.send(head);
    await connection.send(body.subarray(0, body.length / 2));
    connection.destroy();
  },
  'aborts before the body': async (connection, head) => {
    await connection.send(head);
    connection.destroy();
  },
  'aborts after the body': async (connection, head, body) => {
    await connection.send(head);
    await connection.send(body);
    connection.destroy();
  },
  'stalls in the middle': async (connection, head, body) => {
    await connection.send(head);
    await connection.send(body.subarray(0, body.length / 2));
  },
  'stalls before the body': async (connection, head) => {
    await connection.send(head);
  },
  'declares a length that is too short': async (connection, head, body) => {
    await connection.send(head.replace(/Content-Length: \d+/, 'Content-Length: 40'));
    await connection.send(body.subarray(0, 40));
  },
  'sends no form': async (connection, head, body) => {
    await connection.send(head);
    await connection.send(new Uint8Array(body.length));
  },
  'sends no API key': async (connection, head, body) => {
    await connection.send(head.replace(/Authorization: .*\r\n/, ''));
    await connection.send(body.subarray(0, 10));
  },
};

const TOO_LARGE = 10 * 1_048_576 + 1;
/** The longest wait for connections to close. */
const MAX_WAIT_MS = 120_000;
/** The maximum number of changes until the database's thread has made one. */
const FIRST_CHANGES = 50;

describe('Hostile uploads', () => {
  it('leave no file, upload, socket, reservation or archive behind, and their keys free', async () => {
    const service = await openOwnedNode(LOCAL_BACKENDS, createManualClock());
    const { node, client, clock } = service;
    node.server.keepAliveTimeout = 100;
    // Sends the first requests, so that files that stay open are not counted.
    await Promise.all(Array.from({ length: 20 }, (_, n) => client.publish(`first ${n}`)));
    await client.publish('first', new Uint8Array(TOO_LARGE));
    // The thread that writes to the database opens it with its first change, a moment after the start.
    const { files } = await resourcesOf(service);
    for (let n = 0; n < FIRST_CHANGES && (await resourcesOf(service)).files === files; n += 1) {
      await client.publish(`early ${n}`);
      await pause(100);
    }
    const before = await resourcesOf(service);

    const open: RawConnection[] = [];
    const names = Object.keys(ATTACKS);
    const attack = async (n: number): Promise<void> => {
      const connection = await openRawConnection(node.url);
      open.push(connection);
      const name = names[n % names.length] as string;
      const form = multipart([archivePart(n % 3 === 0 ? new Uint8Array(TOO_LARGE) : siteOf(name))]);
      await ATTACKS[name]?.(connection, headOf(service, `${name} ${n}`, form), form.body);
    };
    await Promise.all(Array.from({ length: 8 * names.length }, (_, n) => attack(n)));
    const enough = Array.from({ length: 20 }, (_, n) => client.publish(`honest ${n}`));
    expect(new Set((await Promise.all(enough)).map(({ status }) => status))).to.deep.equal(new Set([201]));
    // A stalled upload ends after half a minute, and reading the rest of its body half a minute later. An upload that waits
    // for the disk does not count as stalled.
    let areClosed = false;
    void Promise.all(open.map((connection) => connection.untilClosed())).then(() => {
      areClosed = true;
    });
    for (const begun = performance.now(); !areClosed && performance.now() - begun < MAX_WAIT_MS; ) {
      clock.advance(seconds(31));
      await settled(service);
    }
    expect(areClosed, 'all connections are closed').to.equal(true);
    clock.advance(minutes(1));
    const published = (await client.list()).length;
    const after = await resourcesOf(service);
    expect({ ...after, sockets: 0, archives: 0 }).to.deep.equal({ ...before, sockets: 0, archives: 0 });
    expect(after.archives, 'an archive for each role').to.equal(published);
    for (const name of names) {
      const again = await client.publish(`${name} ${names.indexOf(name)}`, siteOf(name));
      expect(again.status, name).to.be.oneOf([200, 201]);
    }
    await service.close();
  });
});

function headOf({ node, key }: Service, name: string, form: MultipartForm): string {
  return [
    'POST /api/v1/pins HTTP/1.1',
    `Host: ${new URL(node.url).host}`,
    `Authorization: Bearer ${key}`,
    `Idempotency-Key: ${name}`,
    `Content-Type: ${form.contentType}`,
    `Content-Length: ${form.body.length}`,
    '',
    '',
  ].join('\r\n');
}

/** Waits until nothing changes. */
async function settled(service: Service): Promise<void> {
  for (let same = 0, last = ''; same < 20; ) {
    const now = JSON.stringify(await resourcesOf(service));
    same = now === last ? same + 1 : 0;
    last = now;
  }
}
