import { expect } from 'chai';
import { defaultLimits } from '../../src/index.ts';

const MiB = 1_048_576;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the default limits', () => {
  it('have the documented values', () => {
    expect(defaultLimits).to.deep.equal({
      archiveBytes: 10 * MiB,
      expandedBytes: 50 * MiB,
      files: 500,
      fileBytes: 10 * MiB,
      titleCharacters: 255,
      idempotencyKeyCharacters: 255,
      passwordMinCharacters: 8,
      passwordMaxBytes: 72,
      lifetime: 7 * 24 * HOUR,
      renewal: 7 * 24 * HOUR,
      lease: MINUTE,
      grantLifetime: 12 * HOUR,
      handOverLifetime: MINUTE,
      attemptsPerAddress: 10,
      attemptsPerRole: 300,
      attemptWindow: 5 * MINUTE,
      publishing: 16,
      proving: 4,
      publishingQueue: 256,
      cleanupGrace: HOUR,
      orphanAge: 24 * HOUR,
      reservationAge: 12 * HOUR,
    });
  });
});
