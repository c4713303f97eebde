import { inspect } from 'node:util';
import { warningOfEachRule } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { readRecordLine, recordLine } from '../../src/internal.ts';
import type { MovedRecord } from '../../src/moving.ts';

const UUID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
const ARCHIVE = `1795176000000-${UUID}`;

const SHA256 = 'b'.repeat(64);

/** A hash of the cheapest cost. */
const HASH = `c2NyeXB0AAQAAAAI${'AAAB'.repeat(28)}`;

const LINES: readonly string[] = [
  '{"record":"account","name":"ä","limits":{"requests":"6000/1m","publications":"off","sites":3,"bytes":"off"},"blocked":{"reason":"Spam.","sites":"hide","at":7},"generation":2,"last_published_at":null}',
  '{"record":"account","name":"b","limits":{"requests":null,"publications":null,"sites":null,"bytes":null},"blocked":null,"generation":1,"last_published_at":5}',
  `{"record":"key","id":"4fJ2","account":"ä","scopes":["pins:read","admin"],"label":"x","secret_hash":"${'a'.repeat(64)}","created_at":1,"revoked_at":2}`,
  `{"record":"publication","id":"${UUID}","account":"ä","archive":"${ARCHIVE}","idempotency_key":"k 1","title":"T\\"𝒶","original_filename":"s.zip","file_count":1,"size":2,"archive_bytes":3,"sha256":"${SHA256}","published_at":4,"expires_at":null,"pinned":true,"deleted_at":null,"password_hash":"${HASH}","generation":1,"fingerprint":"${'c'.repeat(64)}","warnings":[{"rule":"case_mismatch","path":"a","target":"B","file":"b"},{"rule":"source_map","path":"d"}],"last_event_at":4,"is_expiry_recorded":false,"manifest":"[1,[]]"}`,
  `{"record":"event","id":"${UUID}","at":4,"type":"service.mode_changed","account":null,"pin":null,"name":null,"actor":{"kind":"system","id":null},"request":"r","address":null,"as_operator":true,"recorded_at":5}`,
  `{"record":"takedown","id":"${UUID}","account":"ä","sha256":"${'a'.repeat(64)}","reason":"Fraud.","at":3,"lifted_at":null}`,
  `{"record":"views","role":"${UUID}","day":20777,"views":3,"refused_passwords":0}`,
  `{"record":"removal","id":"${UUID}","archive":"${ARCHIVE}","expires_at":1,"deleted_at":null}`,
  `{"record":"key","id":"4fJ2","account":"ä","scopes":["pins:read","admin"],"label":"x","secret_hash":"${'a'.repeat(64)}","created_at":1,"revoked_at":2,"is_ensured":true}`,
  `{"record":"name","account":"ä","name":"pr-42","token":"3QpMtRzX81aKfYw0BvNc7d","role":"${UUID}","updated_at":4}`,
];

/** Variants of the lines. */
const VARIANTS: readonly string[] = [
  ...['key', 'person', 'operator'].map((kind) => (LINES[4] ?? '').replace('system', kind)),
  (LINES[0] ?? '').replace('hide', 'keep'),
  (LINES[3] ?? '').replace('"T', `"${'T'.repeat(5_000)}`),
  // A record of an erased account.
  (LINES[3] ?? '')
    .replace('"k 1"', 'null')
    .replace('"T\\"𝒶"', 'null')
    .replace('"s.zip"', 'null')
    .replace(`"${HASH}"`, '""')
    .replace(`"${'c'.repeat(64)}"`, 'null')
    .replace('"[1,[]]"', 'null'),
  (LINES.at(-1) ?? '').replace('}', `,"previous":"${UUID}"}`),
  (LINES[2] ?? '').replace('"created_at":1', '"created_at":253402300799999'),
  (LINES[6] ?? '').replace('20777', '2932896'),
  (LINES[0] ?? '').replace('"sites":3', `"sites":${2 ** 53 - 1}`),
];

const KEY = JSON.parse(LINES[2] ?? '') as Record<string, unknown>;
const PUBLICATION = JSON.parse(LINES[3] ?? '') as Record<string, unknown>;
const NAME = JSON.parse(LINES.at(-1) ?? '') as Record<string, unknown>;
const REMOVAL = JSON.parse(LINES[7] ?? '') as Record<string, unknown>;

const WRONG: Readonly<Record<string, string>> = {
  'a list': '[]',
  'no kind': '{}',
  'a kind that every object has': JSON.stringify({ ...KEY, record: 'constructor' }),
  'a missing member': JSON.stringify({ ...KEY, label: undefined }),
  'a further member': JSON.stringify({ ...KEY, last_used_at: 3 }),
  'a number for a text': JSON.stringify({ ...KEY, label: 3 }),
  'a text for a number': JSON.stringify({ ...KEY, created_at: '3' }),
  'a fraction': JSON.stringify({ ...KEY, created_at: 0.5 }),
  'a number below 0': JSON.stringify({ ...KEY, created_at: -1 }),
  'null where none may be': JSON.stringify({ ...KEY, created_at: null }),
  'an instant after the year 9999': JSON.stringify({ ...KEY, created_at: 253_402_300_800_000 }),
  'a day after the year 9999': (LINES[6] ?? '').replace('20777', '2932897'),
  'more views than can be added to': (LINES[6] ?? '').replace('"views":3', `"views":${2 ** 53 - 1}`),
  'more refused passwords than can be added to': (LINES[6] ?? '').replace(':0}', `:${2 ** 53 - 1}}`),
  ...Object.fromEntries(
    ['file_count', 'size', 'archive_bytes', 'generation'].map((member) => [
      `a ${member} that cannot grow`,
      JSON.stringify({ ...PUBLICATION, [member]: 2 ** 53 - 1 }),
    ]),
  ),
  'a generation of an account that cannot grow': (LINES[0] ?? '').replace(
    '"generation":2',
    `"generation":${2 ** 53 - 1}`,
  ),
  'an unknown scope': JSON.stringify({ ...KEY, scopes: ['root'] }),
  'a text for a list': JSON.stringify({ ...KEY, scopes: 'admin' }),
  'a hash of other letters': JSON.stringify({ ...KEY, secret_hash: 'A'.repeat(64) }),
  'an empty hash': JSON.stringify({ ...KEY, secret_hash: '' }),
  'an account with a control character': JSON.stringify({ ...KEY, account: 'a\nb' }),
  'an account without a name': JSON.stringify({ ...KEY, account: '' }),
  'an account of 256 characters': JSON.stringify({ ...KEY, account: 'a'.repeat(256) }),
  'a text that no database can store': JSON.stringify({ ...KEY, label: '\0' }),
  'half a character': JSON.stringify({ ...KEY, label: '\uD800' }),
  'a title with a control character': JSON.stringify({ ...PUBLICATION, title: 'a\u001b[31m' }),
  'a title with a C1 control character': JSON.stringify({ ...PUBLICATION, title: 'a\u009b31m' }),
  'an empty title': JSON.stringify({ ...PUBLICATION, title: '' }),
  'a file name with a control character': JSON.stringify({ ...PUBLICATION, original_filename: 'a\nb' }),
  'a file name that is a path': JSON.stringify({ ...PUBLICATION, original_filename: '../a.zip' }),
  'an empty file name': JSON.stringify({ ...PUBLICATION, original_filename: '' }),
  'a hash of another function': JSON.stringify({ ...PUBLICATION, password_hash: '$argon2id$v=19$m=65536' }),
  'half a password hash': JSON.stringify({ ...PUBLICATION, password_hash: HASH.slice(0, 64) }),
  'something before a password hash': JSON.stringify({ ...PUBLICATION, password_hash: ` ${HASH}` }),
  'more than a password hash': JSON.stringify({ ...PUBLICATION, password_hash: `${HASH}=` }),
  'a password hash of other letters': JSON.stringify({
    ...PUBLICATION,
    password_hash: HASH.replace('I', '!'),
  }),
  'something before an Idempotency-Key': JSON.stringify({ ...PUBLICATION, idempotency_key: '\nk' }),
  'something after an Idempotency-Key': JSON.stringify({ ...PUBLICATION, idempotency_key: 'k\n' }),
  'more than a hash': JSON.stringify({ ...PUBLICATION, sha256: `${'b'.repeat(64)} ` }),
  'something before a hash': (LINES[5] ?? '').replace('"aaa', '" aaa'),
  'an archive id that is a path': JSON.stringify({ ...REMOVAL, archive: '../../secret' }),
  'a malformed name': JSON.stringify({ ...NAME, name: '-a' }),
  'a name with an empty token': JSON.stringify({ ...NAME, token: '' }),
  'an id in capitals': JSON.stringify({ ...REMOVAL, id: UUID.toUpperCase() }),
  'a text for true or false': (LINES[4] ?? '').replace('"as_operator":true', '"as_operator":"true"'),
  'a list for an object': (LINES[4] ?? '').replace('{"kind":"system","id":null}', '[]'),
  'an unknown kind of actor': (LINES[4] ?? '').replace('"system"', '"root"'),
  'a quota with a fraction': (LINES[0] ?? '').replace('"sites":3', '"sites":0.5'),
  'something before the type of an event': (LINES[4] ?? '').replace('"service.', '" service.'),
  'something after the type of an event': (LINES[4] ?? '').replace('_changed"', '_changed "'),
  'an event type in another form': (LINES[4] ?? '').replace('service.mode_changed', 'Service'),
};

describe('the lines of records', () => {
  for (const line of [...LINES, ...VARIANTS]) {
    it(`are read and written the same, byte by byte: ${line.slice(0, 24)}`, () => {
      expect(recordLine(readRecordLine(line))).to.equal(line);
    });
  }

  it('have the members of the domain', () => {
    expect(readRecordLine(LINES[2] ?? '')).to.deep.equal({
      kind: 'key',
      value: {
        id: '4fJ2',
        account: 'ä',
        scopes: ['pins:read', 'admin'],
        label: 'x',
        secretHash: 'a'.repeat(64),
        createdAt: 1,
        revokedAt: 2,
        isEnsured: false,
      },
    });
  });

  it('have all details of each kind of warning', () => {
    const line = JSON.stringify({ ...PUBLICATION, warnings: [] });
    const record = readRecordLine(line);
    const value = { ...record.value, warnings: warningOfEachRule };
    const read = readRecordLine(recordLine({ ...record, value } as MovedRecord));
    expect(read.value).to.have.deep.property('warnings', warningOfEachRule);
  });

  it('have a fixed order of members', () => {
    const { kind, value } = readRecordLine(LINES[7] ?? '');
    const reversed = Object.fromEntries(Object.entries(value).reverse());
    expect(recordLine({ kind, value: reversed } as unknown as MovedRecord)).to.equal(LINES[7]);
  });

  for (const [what, line] of Object.entries(WRONG)) {
    it(`are refused with ${what}`, () => {
      expect(() => readRecordLine(line)).to.throw(TypeError);
    });
  }

  it('name the required form of a line', () => {
    for (const [line, message] of [
      ['{"record":"key"', 'JSON was expected'],
      ['7', 'an object was expected'],
      ['"key"', 'an object was expected'],
      ['null', 'an object was expected'],
      ['{"record":["key"]}', 'record: a kind was expected'],
      ['{"record":"session"}', 'record: a kind was expected'],
    ] as const) {
      expect(() => readRecordLine(line)).to.throw(TypeError, new RegExp(`^${message}$`));
    }
  });

  it('name the member and the expected value', () => {
    for (const [record, message] of [
      [REMOVAL, 'archive: the id of an archive'],
      [REMOVAL, 'id: a UUID in lower case'],
      [REMOVAL, 'expires_at: a whole number from 0 to 253402300799999'],
      [PUBLICATION, 'title: a title'],
      [PUBLICATION, 'original_filename: the name of a file'],
      [PUBLICATION, 'idempotency_key: printable ASCII'],
      [PUBLICATION, 'password_hash: a password hash'],
      [PUBLICATION, 'sha256: a SHA-256'],
      [PUBLICATION, 'pinned: true or false'],
      [PUBLICATION, 'warnings: a list'],
      [PUBLICATION, 'fingerprint: a SHA-256'],
      [NAME, 'account: the name of an account'],
      [NAME, 'name: a name'],
      [NAME, 'token: the token of a name'],
      [KEY, 'id: the id of a key'],
      [KEY, 'record: a kind'],
      [JSON.parse(LINES[4] ?? ''), 'type: the type of an event'],
    ] as const) {
      const line = JSON.stringify({ ...record, [message.split(':')[0] as string]: {} });
      expect(() => readRecordLine(line)).to.throw(TypeError, `${message} was expected`);
    }
  });

  it('are refused with the name of the wrong member, and never repeated', () => {
    const secret = 'a secret of a person';
    const line = JSON.stringify({ ...KEY, secret_hash: secret });
    expect(() => readRecordLine(line)).to.throw(/^secret_hash: /);
    for (const each of [line, secret]) {
      try {
        readRecordLine(each);
      } catch (error) {
        expect(inspect(error)).to.not.include('a secret');
      }
    }
  });
});
