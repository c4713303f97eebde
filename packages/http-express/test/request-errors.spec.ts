import { outgoingBytes } from '@pinfold/http/internal';
import { archivePart, type FormPart, ofEachTest, titlePart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { type Answer, ask, askRaw, publicationBytes, publish, siteZip } from './client.ts';
import { openRig } from './rig.ts';

const archive = archivePart(siteZip());
const ONLY =
  'Only the fields "archive" and "title" are accepted; a name goes into the query (?name=…), a password into the header Pinfold-Password.';
const NAMED = 'The file needs a name of 1 to 255 characters in UTF-8, without control characters.';

describe('The problem of a wrong request', () => {
  const rig = ofEachTest(openRig);

  /** The answer to a publication whose bytes a test may change. */
  async function answerTo(
    parts: readonly FormPart[],
    change = (body: string) => body,
    head = (text: string) => text,
  ) {
    const { head: sent, body } = publicationBytes(rig, parts);
    const changed = Buffer.from(change(body.toString('latin1')), 'latin1');
    const lengthened = sent.replace(/Content-Length: \d+/, `Content-Length: ${changed.byteLength}`);
    return JSON.parse((await askRaw(rig, head(lengthened), changed)).body) as Answer['json'];
  }

  it('names each wrong field of a form', async () => {
    const forms: readonly (readonly [readonly FormPart[], string, string])[] = [
      [[], 'archive_missing', 'Send the ZIP as a file named "archive".'],
      [[{ name: 'archive', body: 'x' }], 'filename', NAMED],
      [[archivePart(siteZip(), `${'x'.repeat(256)}.zip`)], 'filename', NAMED],
      [[archive, { name: 'other', body: 'x' }], 'unknown_field', ONLY],
      [[{ ...archive, name: 'other' }], 'unknown_field', ONLY],
      [[archive, archive], 'field_twice', 'Send the field "archive" once.'],
      [[titlePart('x'), titlePart('x')], 'field_twice', 'Send the field "title" once.'],
      [
        [archive, { name: 'title', type: 'text/plain; charset=none', body: 'x' }],
        'title_encoding',
        'Send the title in UTF-8.',
      ],
      [[{ ...archive, name: 'title' }], 'title_file', 'Send the title as text, without a file name.'],
    ];
    for (const [parts, rule, detail] of forms) {
      const { code, errors } = await answerTo(parts);
      expect({ code, errors }).to.deep.equal({ code: 'invalid_form', errors: [{ rule, detail }] });
    }
  });

  it('explains a form that ends early, and an archive of another media type', async () => {
    const broken = await answerTo([archive], (body) => body.slice(0, -10));
    expect(broken.detail).to.match(/^Send the form whole and well-formed/);
    const { detail } = await answerTo([{ ...archive, type: 'text/html' }]);
    expect(detail).to.match(/^Send the archive as application\/zip/);
  });

  it('reports a file or text whose head cannot be read, rather than a missing one', async () => {
    for (const [what, change] of [
      [
        'a file name without quotation marks',
        (body: string) => body.replace(/filename="[^"]*"/, 'filename=a b.zip'),
      ],
      ['a space after the boundary', (body: string) => body.replace('\r\n', ' \r\n')],
    ] as const) {
      const { code, errors } = await answerTo([archive], change);
      expect(code, what).to.equal('invalid_form');
      expect(errors, what).to.have.nested.property('[0].rule', 'archive_unreadable');
      expect(errors, what)
        .to.have.nested.property('[0].detail')
        .that.matches(/^The headers of the file cannot be read: .*quotation marks/);
    }
    const nameless = await answerTo([archive], (body) => body.replace('filename="', 'filename*="'));
    expect(nameless.errors)
      .to.have.nested.property('[0].detail')
      .that.matches(/^The file needs a name/);
    const title = titlePart('x');
    for (const parts of [
      [archive, title],
      [title, archive],
    ]) {
      const unread = await answerTo(parts, (body) => body.replace('name="title"', 'name="title";'));
      expect(unread.errors).to.have.nested.property('[0].rule', 'part_unreadable');
    }
    const attached = await answerTo([archive], (body) => body.replace('form-data', 'attachment'));
    expect(attached.errors).to.have.nested.property('[0].rule', 'archive_missing');
  });

  it('suggests whether to keep the Idempotency-Key, except in a dry run', async () => {
    const noZip = Buffer.from('no zip');
    const publication = await publish(rig, 'key', undefined, noZip);
    expect(publication.json.suggestion).to.match(/, keeping the same Idempotency-Key\.$/);
    const dryRun = await publish(rig, 'key', undefined, noZip, '?dry_run=true');
    expect(dryRun.json.suggestion).to.equal('Correct the ZIP and send it again.');
  });

  it('reports a repeated Idempotency-Key', async () => {
    const twice = await answerTo([archive], undefined, (head) =>
      head.replace('\r\n', '\r\nIdempotency-Key: other\r\n'),
    );
    const { code, errors } = twice;
    const expected = [{ rule: 'twice', detail: 'Send one Idempotency-Key header.' }];
    expect({ code, errors }).to.deep.equal({ code: 'invalid_idempotency_key', errors: expected });
  });

  it('explains an invalid Pinfold-Password, whose characters are counted as typed', async () => {
    const sendPasswords = async (...passwords: readonly string[]) => {
      const lines = passwords.map((password) => `\r\nPinfold-Password: ${password}`).join('');
      const head = (text: string) => text.replace('\r\n', `${lines}\r\n`);
      return await answerTo([archive], undefined, head);
    };
    expect(await sendPasswords('harbour lights', 'harbour lights')).to.include({
      code: 'invalid_request',
      detail: 'Send one Pinfold-Password header.',
    });
    for (const [password, rule] of [
      ['', 'password_header'],
      ['%ff%ff%ff%ff%ff%ff%ff%ff', 'password_header'],
      ['\u00fcharbour', 'password_header'],
      ['short', 'too_short'],
    ] as const) {
      const { code, errors } = await sendPasswords(password);
      expect(code, password).to.equal('invalid_password');
      expect(errors, password).to.have.nested.property('[0].rule', rule);
    }
    const { pin } = await sendPasswords(encodeURIComponent('e\u0301'.repeat(4)));
    expect(pin).to.have.property('password_protected', true);
  });

  it('explains an invalid query', async () => {
    const ONLY_KNOWN = /^Send only query parameters that \/openapi\.json names/;
    for (const [query, detail] of [
      ['pins?limit=many', ONLY_KNOWN],
      ['pins?cursor=', ONLY_KNOWN],
      ['events?after=latest', /^Send after, wait and include with order=asc only/],
      ['events?order=asc&cursor=x', /^With order=asc, send "next_cursor" as after/],
    ] as const) {
      expect((await ask(rig, `/api/v1/${query}`)).json.detail, query).to.match(detail);
    }
  });
});

describe('While too many bytes of answers wait for slow clients', () => {
  const { memory } = outgoingBytes;

  beforeEach(() => {
    outgoingBytes.memory = 0;
    outgoingBytes.countLoaded(1);
  });

  afterEach(() => {
    outgoingBytes.memory = memory;
    outgoingBytes.countLoaded(-1);
  });

  it('an answer over 64 KiB is 503 with Retry-After: 1, and a smaller one is sent', async () => {
    const rig = await openRig();
    const large = await ask(rig, '/openapi.json', { headers: { 'accept-encoding': 'identity' } });
    expect([large.status, large.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(large.json).to.include({ code: 'unavailable', status: 503, retryable: true });
    expect((await ask(rig, '/api/v1/pins')).status).to.equal(200);
    expect((await ask(rig, '/openapi.json', { method: 'HEAD' })).status).to.equal(200);
    const logged = rig.log.map(({ status, error }) => [status, error]);
    expect(logged.slice(0, 2)).to.deep.equal([
      [503, undefined],
      [200, undefined],
    ]);
  });
});
