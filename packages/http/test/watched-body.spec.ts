import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { duration, minutes, seconds } from '@pinfold/core';
import type { ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { BodyError, readWhole, WatchedBody } from '../src/body/watched-body.ts';
import { openHttp2 } from './http2-stage.ts';
import { incoming, turn, turns } from './incoming.ts';

/** A body that is being received, its received pieces, and its error. */
function opened(incomingRequest = incoming()) {
  const { request, times } = incomingRequest;
  const watched = new WatchedBody(request, { ...times, bytes: 100_000 });
  const pieces: Buffer[] = [];
  const errors: unknown[] = [];
  watched.on('error', (error) => errors.push(error instanceof BodyError ? error.reason : error));
  const read = () => watched.on('data', (piece: Buffer) => pieces.push(piece));
  return {
    ...incomingRequest,
    watched,
    pieces,
    errors,
    read,
    text: () => Buffer.concat(pieces).toString(),
  };
}

describe('A body', () => {
  it('is read in few pieces even if it arrives byte by byte', async () => {
    const { body, pieces, read, text } = opened();
    read();
    for (let n = 0; n < 50_000; n += 1) body.write('x');
    body.end();
    await turns();
    expect(text()).to.equal('x'.repeat(50_000));
    expect(pieces.length).to.be.below(20);
  });

  it('is passed on as it arrives, in any small pieces, and holds no more memory than that', async () => {
    const { body, pieces, read, text } = opened();
    read();
    for (let n = 0; n < 500; n += 1) {
      body.write('x');
      await turn();
      await turn();
    }
    expect(text()).to.equal('x'.repeat(500));
    const held = [...new Set(pieces.map(({ buffer }) => buffer))];
    expect(held.reduce((sum, { byteLength }) => sum + byteLength, 0)).to.be.below(10_000);
  });

  it('is passed on without a copy if it is not small', async () => {
    const { body, pieces, read } = opened();
    read();
    const chunk = Buffer.alloc(65_536, 'x');
    body.write(chunk);
    await turns();
    expect(pieces[0]?.buffer).to.equal(chunk.buffer);
  });

  it('stalls after 30 seconds without a byte', async () => {
    const { body, clock, errors, read } = opened();
    read();
    clock.advance(seconds(20));
    body.write('x');
    await turns();
    clock.advance(seconds(20));
    await turns();
    expect(errors).to.deep.equal([]);
    clock.advance(seconds(10));
    await turns();
    expect(errors).to.deep.equal(['stalled']);
  });

  it('stalls after 30 seconds without a byte even if the timer is late', async () => {
    const one = incoming();
    const late: ManualClock = {
      ...one.clock,
      sleep: (length, signal) => one.clock.sleep(duration(length + 100), signal),
    };
    const { body, clock, errors, read } = opened({ ...one, times: { ...one.times, clock: late } });
    read();
    await turns();
    clock.advance(duration(50));
    body.write('x');
    await turns();
    clock.advance(seconds(30));
    await turns();
    expect(errors).to.deep.equal([]);
    for (let n = 0; n < 3; n += 1) {
      clock.advance(duration(150));
      await turns();
    }
    expect(errors).to.deep.equal(['stalled']);
  });

  it('stalls after 15 minutes in total, even if it arrives steadily', async () => {
    const { body, clock, errors, read } = opened();
    read();
    for (let n = 1; n <= 90; n += 1) {
      expect(errors, `${n}`).to.deep.equal([]);
      body.write('x');
      await turns();
      clock.advance(seconds(10));
      await turns();
    }
    expect(errors).to.deep.equal(['stalled']);
  });

  it('does not stall if its reader is slow, or the clock was set forward', async () => {
    const slow = opened();
    slow.watched.read(0);
    for (let n = 0; n < 5; n += 1) slow.body.write(Buffer.alloc(20_000));
    await turns();
    slow.clock.advance(seconds(31));
    await turns();
    const clockSet = opened();
    clockSet.read();
    await turns();
    clockSet.clock.advance(seconds(10));
    clockSet.body.write('x');
    await turns();
    clockSet.clock.advance(minutes(14));
    await turns();
    expect([...slow.errors, ...clockSet.errors]).to.deep.equal([]);
  });

  it('fails if it breaks off, is too long, or was read before', async () => {
    const broken = opened();
    broken.read();
    broken.body.write('part');
    broken.body.destroy();
    const destroyed = incoming();
    destroyed.body.destroy();
    const brokenBefore = opened(destroyed);
    brokenBefore.read();
    const long = opened();
    long.read();
    long.body.write(Buffer.alloc(100_001));
    const consumed = incoming();
    consumed.body.end('x');
    consumed.body.resume();
    await turns();
    const late = opened(consumed);
    late.read();
    await turns();
    const all = [broken, brokenBefore, long, late].flatMap(({ errors }) => errors);
    expect(all).to.deep.equal(['broken_off', 'broken_off', 'too_long', 'read_before']);
  });

  it('counts as read before if the server has set its encoding', async () => {
    const decoded = opened();
    decoded.body.setEncoding('utf8');
    decoded.read();
    decoded.body.write('x'.repeat(1_000));
    await turns();
    expect(decoded.errors).to.deep.equal(['read_before']);
  });

  it('is read to its end if all of it arrived before its client left', async () => {
    const whole = incoming();
    whole.body.write('whole');
    whole.body.complete = true;
    whole.body.destroy();
    const { read, text, errors } = opened(whole);
    read();
    await turns();
    expect([text(), errors]).to.deep.equal(['whole', []]);
  });

  it('stops reading its request when its reader stops', async () => {
    const { body, watched, read } = opened();
    read();
    body.write('x');
    await turns();
    watched.destroy();
    expect([body.isPaused(), body.listenerCount('data'), body.listenerCount('close')]).to.deep.equal([
      true,
      0,
      opened().body.listenerCount('close'),
    ]);
  });

  it('is requested from its client only at the first read', async () => {
    const { body, read } = opened();
    await turns();
    expect(body.listenerCount('data')).to.equal(0);
    read();
    await turns();
    expect(body.listenerCount('data')).to.equal(1);
  });

  it('with a too long Content-Length is not read at all', async () => {
    const { request, body, times } = incoming({ 'content-length': '11' });
    const refused = await readWhole(request, { ...times, bytes: 10 }).catch((error: unknown) => error);
    expect([(refused as BodyError).reason, body.listenerCount('data')]).to.deep.equal(['too_long', 0]);
  });
});

describe('A body over HTTP/2', () => {
  it('fails if it breaks off', async () => {
    const { server, client, close } = await openHttp2();
    const stream = client.request({ ':method': 'POST', ':path': '/' }).on('error', () => {});
    stream.write('password=half of the');
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    const read = readWhole(request, { ...incoming().times, bytes: 100 }).catch(String);
    await once(request, 'data');
    stream.destroy();
    expect(String(await read)).to.include('broken_off');
    await close();
  });
});
