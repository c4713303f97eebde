import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Pipelines } from '../src/pipelining.ts';
import { begunAt, many, openStage, settle, type Take, until } from './pipelined-stage.ts';

describe('the requests that wait on all connections', () => {
  it('are counted, until they begin or their connection closes', async () => {
    const pipelines = new Pipelines();
    const stage = await openStage((request, response, work) =>
      response.socket === null ? pipelines.wait(request.socket, response, work) : work(),
    );
    stage.socket.write(many(10));
    await until(() => stage.read.length === 10);
    expect(pipelines.waiting).to.equal(9);
    begunAt(stage.begun, 0).response.end();
    await until(() => stage.begun.length === 2);
    expect(pipelines.waiting).to.equal(8);
    await stage.close();
    await until(() => pipelines.waiting === 0);
  });

  it('are read on after one another where several connections waited, with a rest for others between', async () => {
    const pipelines = new Pipelines();
    const ends: ServerResponse[] = [];
    const resumed: Socket[] = [];
    const { socket, close: end } = await openStage((request, response, work) => {
      ends.push(response);
      if (response.socket === null) pipelines.wait(request.socket, response, work);
      else work();
    });
    await once(socket, 'connect');
    const second = connect({ port: socket.remotePort ?? 0, host: '127.0.0.1' }).on('error', () => {});
    for (const client of [socket, second]) client.write(many(2));
    await until(() => ends.length === 4 && pipelines.waiting === 2);
    await settle();
    for (const { req } of ends) {
      if (!resumed.includes(req.socket)) req.socket.on('resume', () => resumed.push(req.socket));
    }
    for (const response of ends) response.end();
    await until(() => pipelines.waiting === 0);
    const atOnce = resumed.length;
    await until(() => new Set(resumed).size === 2);
    expect(atOnce).to.be.at.most(1);
    second.destroy();
    await end();
  });

  it('begin eight in one turn of the event loop, where hundreds of connections become ready at once', async () => {
    const pipelines = new Pipelines();
    const begun: number[] = [];
    const stub = { destroyed: false, pause: () => {}, resume: () => {} };
    const sockets = Array.from(
      { length: 20 },
      () => Object.assign(new EventEmitter(), stub) as never as Socket,
    );
    const responses = sockets.map(() => new EventEmitter() as unknown as ServerResponse);
    for (const [n, response] of responses.entries()) {
      pipelines.wait(sockets[n] as Socket, response, () => begun.push(n));
    }
    for (const [n, response] of responses.entries()) response.emit('socket', sockets[n] as Socket);
    const seen: number[] = [];
    while (begun.length < 20) {
      await nextTurn();
      seen.push(begun.length);
    }
    expect(begun).to.deep.equal(sockets.map((_, n) => n));
    expect(Math.max(...seen.map((count, n) => count - (seen[n - 1] ?? 0)))).to.equal(8);
  });

  it('are bounded: the connection that brings one more is closed, and no other', async () => {
    const pipelines = new Pipelines(10);
    const take: Take = (request, response, work) =>
      response.socket === null ? pipelines.wait(request.socket, response, work) : work();
    const stage = await openStage(take);
    stage.socket.write(many(12));
    await once(stage.socket, 'close');
    await until(() => pipelines.waiting === 0);
    await stage.close();
    const modest = await openStage(take);
    modest.socket.write(many(11));
    await until(() => modest.read.length === 11);
    expect(pipelines.waiting).to.equal(10);
    modest.socket.destroy();
    await modest.close();
  });
});
