import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import {
  createClientAddress,
  createTrustCheck,
  parseTrustProxy,
  type TrustProxy,
} from '../../src/server/client-address.ts';
import { HttpServer } from '../../src/server/http-server.ts';

/** A request that comes from an address. */
function requestFrom(remoteAddress: string | undefined, headers: Readonly<Record<string, string>>) {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

function toTrust(text: string | undefined): TrustProxy {
  return text === undefined ? { kind: 'none' } : parseTrustProxy(text);
}

function addressOf(trust: string | undefined, remoteAddress: string, forwardedFor?: string): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return createClientAddress(toTrust(trust))(requestFrom(remoteAddress, headers));
}

describe('the address of a client', () => {
  it('is known after the client has disconnected', async () => {
    const server = new HttpServer();
    const { port } = await server.listen(0, '127.0.0.1');
    const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    const { promise, resolve } = Promise.withResolvers<string>();
    server.answerWith((request) => {
      request.socket.once('close', () => resolve(createClientAddress({ kind: 'none' })(request)));
      client.resetAndDestroy();
    });
    expect(await promise).to.equal('127.0.0.1');
    await server.stop(AbortSignal.abort());
  });

  const cases: readonly (readonly [
    trust: string | undefined,
    socket: string,
    header: string | undefined,
    address: string,
  ])[] = [
    // No proxy is trusted.
    [undefined, '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    // Only what the given number of proxies appended is trusted.
    ['1', '10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['2', '10.0.0.1', '203.0.113.9, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    // A proxy at a trusted address reports it.
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    // A trusted proxy in between is listed with its port.
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.7:5678, 10.0.0.5:443', '203.0.113.7'],
    ['2001:db8::/32', '2001:db8::1', '203.0.113.7, [2001:db8::5]:443', '203.0.113.7'],
    ['10.0.0.0/8', '10.0.0.1', '203.0.113.7:5678, 192.0.2.5:443', '192.0.2.5'],
    // The trusted proxy reports none.
    ['1', '10.0.0.1', undefined, '10.0.0.1'],
    ['1', '10.0.0.1', 'unknown', '10.0.0.1'],
    // The trusted proxy also reports a port.
    ['1', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['1', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ];
  for (const [trust, socket, header, address] of cases) {
    it(`is ${address} from ${socket} with ${header} if ${trust} is trusted`, () => {
      expect(addressOf(trust, socket, header)).to.equal(address);
    });
  }
});

function isTrustedClient(
  trust: string | undefined,
  remoteAddress: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  return createTrustCheck(toTrust(trust))(requestFrom(remoteAddress, headers));
}

const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
];

describe('the clients that /healthz shows the state of each part', () => {
  it('include this machine, and no others by default', () => {
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
      expect(isTrustedClient(undefined, address), address).to.equal(true);
    }
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::1', '', undefined]) {
      expect(isTrustedClient(undefined, address), address).to.equal(false);
    }
  });

  for (const name of FORWARDING) {
    it(`exclude clients of a proxy on this machine that sends ${name}`, () => {
      for (const trust of [undefined, '1', '127.0.0.1', '127.0.0.1,10.0.0.0/8']) {
        expect(isTrustedClient(trust, '127.0.0.1', { [name]: '203.0.113.9' }), trust).to.equal(false);
      }
    });
  }

  it('include trusted addresses, directly or through trusted proxies', () => {
    const trust = '127.0.0.1,10.0.0.0/8';
    expect(isTrustedClient(trust, '10.1.2.3')).to.equal(true);
    expect(isTrustedClient(trust, '::ffff:10.1.2.3')).to.equal(true);
    expect(isTrustedClient(trust, '127.0.0.1', { 'x-forwarded-for': '10.1.2.3' })).to.equal(true);
    expect(
      isTrustedClient(trust, '10.1.2.3', { 'x-forwarded-for': '10.9.9.9, 10.1.1.1', via: '1.1 x' }),
    ).to.equal(true);
  });

  it('exclude clients that forge a trusted address', () => {
    const trust = '127.0.0.1,10.0.0.0/8';
    for (const [socket, headers] of [
      ['203.0.113.9', { 'x-forwarded-for': '10.1.2.3' }],
      ['203.0.113.9', { 'x-forwarded-for': '127.0.0.1' }],
      // A proxy that appends the client's address to the header that the client sent.
      ['127.0.0.1', { 'x-forwarded-for': '10.1.2.3, 203.0.113.9' }],
      ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1, 203.0.113.9, 10.1.2.3' }],
      ['127.0.0.1', { 'x-forwarded-for': '' }],
      ['127.0.0.1', { 'x-forwarded-for': 'unknown' }],
      ['127.0.0.1', { 'x-real-ip': '10.1.2.3' }],
      ['127.0.0.1', { forwarded: 'for=10.1.2.3' }],
    ] as const) {
      expect(isTrustedClient(trust, socket, headers), `${socket} ${JSON.stringify(headers)}`).to.equal(false);
    }
  });

  it('exclude all addresses if only a number of proxies is trusted', () => {
    expect(isTrustedClient('2', '10.1.2.3', { 'x-forwarded-for': '127.0.0.1' })).to.equal(false);
    expect(isTrustedClient('2', '10.1.2.3')).to.equal(false);
  });
});
