import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { waitForSignal } from '../../src/start/run-until-stopped.ts';

describe('signals to a process', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    it(`stop it, and have no effect when they are repeated: ${signal}`, async () => {
      const source = new EventEmitter();
      const received = waitForSignal(source);
      source.emit(signal);
      source.emit(signal);
      expect(await received).to.equal(undefined);
    });
  }
});
