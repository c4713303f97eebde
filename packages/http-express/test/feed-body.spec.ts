import type { IncomingMessage } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { minutes, seconds } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { feedBody } from '../src/feed-body.ts';
import { RequestRefused } from '../src/problem.ts';
import { turn, until } from './client.ts';

const timeouts = { idle: seconds(30), total: minutes(15) };

/** A body that a test writes itself, in place of a request. */
function feed(write: Writable['_write'] = (_chunk, _encoding, callback) => callback()) {
  const request = new PassThrough();
  const clock = createManualClock();
  const sink = new Writable({ write, highWaterMark: 1 });
  const errors: unknown[] = [];
  sink.on('error', (error) => errors.push(error));
  feedBody(request as unknown as IncomingMessage, sink, { clock, timeouts });
  return { request, clock, sink, errors };
}

/** The code a body was refused with. */
function codeOf(error: unknown): string {
  return error instanceof RequestRefused ? error.refusal.code : String(error);
}

describe('Feeding a body', () => {
  it('ends the sink with the body', async () => {
    const { request, sink, errors } = feed();
    request.end('whole');
    await until(() => sink.writableFinished);
    expect(errors).to.deep.equal([]);
  });

  it('refuses a body that is silent for 30 seconds, counted from its last byte', async () => {
    const { request, clock, sink, errors } = feed();
    clock.advance(seconds(20));
    request.write('x');
    await until(() => sink.writableLength === 0);
    clock.advance(seconds(20));
    await turn();
    expect(errors).to.deep.equal([]);
    clock.advance(seconds(10));
    await until(() => errors.length > 0);
    expect(codeOf(errors[0])).to.equal('request_timeout');
  });

  it('does not take the slowness of our own side for silence', async () => {
    let take = () => {};
    const { request, clock, sink, errors } = feed((_chunk, _encoding, callback) => {
      take = callback;
    });
    request.write('one');
    request.write('two');
    await until(() => request.isPaused());
    clock.advance(seconds(31));
    await turn();
    expect(errors).to.deep.equal([]);
    take();
    await until(() => !request.isPaused());
    expect(sink.destroyed).to.equal(false);
    sink.destroy();
  });

  it('refuses a body that breaks off', async () => {
    const { request, errors } = feed();
    request.write('part');
    request.destroy();
    await until(() => errors.length > 0);
    expect(codeOf(errors[0])).to.equal('invalid_request');
  });

  it('refuses a body whose client has gone already', async () => {
    const request = new PassThrough();
    request.destroy();
    const sink = new PassThrough();
    const errors: unknown[] = [];
    sink.on('error', (error) => errors.push(error));
    feedBody(request as unknown as IncomingMessage, sink, { clock: createManualClock(), timeouts });
    await until(() => errors.length > 0);
    expect(codeOf(errors[0])).to.equal('invalid_request');
  });

  it('does not take a clock that was set forward for silence', async () => {
    const { request, clock, sink, errors } = feed();
    clock.advance(seconds(10));
    request.write('x');
    await until(() => sink.writableLength === 0);
    clock.advance(minutes(14));
    await turn();
    request.write('y');
    await until(() => sink.writableLength === 0);
    expect(errors).to.deep.equal([]);
    sink.destroy();
  });
});
