import { Fault } from '@pinfold/core';
import { StepError } from '@pinfold/core/records';
import { expect } from 'chai';
import {
  CommandFailure,
  formatReason,
  toFailureJson,
  UnavailableError,
  UsageError,
} from '../../src/command-line/failures.ts';
import { errorText, SettingsError } from '../../src/settings/settings-error.ts';

describe('toFailureJson', () => {
  const codeOf = (error: unknown): string | undefined => toFailureJson(error)?.code;

  it('gives the codes that the documents list, of an argument, a setting, a database and a store', () => {
    expect(codeOf(new UsageError('x'))).to.equal('usage');
    expect(codeOf(new SettingsError('publicUrl', 'x'))).to.equal('usage');
    const fault = new Fault('store_unavailable', 'x');
    expect(codeOf(fault)).to.equal('unavailable');
    expect(codeOf(new SettingsError('publicUrl', 'x', { cause: fault }))).to.equal('unavailable');
    expect(codeOf(new UnavailableError('x'))).to.equal('unavailable');
    expect(codeOf(new Fault('store_corrupt', 'x'))).to.equal('unreadable');
    expect(codeOf(new CommandFailure('x', 'cannot_write'))).to.equal('cannot_write');
    expect(codeOf(new Error('x'))).to.equal('internal_error');
  });

  it('is undefined for a failure that the command has reported', () => {
    expect(toFailureJson(new CommandFailure('x', { reported: true }))).to.equal(undefined);
    expect(toFailureJson(new UnavailableError('x', { reported: true }))).to.equal(undefined);
  });
});

describe('the reason of a failure', () => {
  const NO_SPACE = new Error('ENOSPC: no space left on device, write');
  const WITH_CAUSE = new Fault('store_unavailable', 'the database cannot be used now', { cause: NO_SPACE });
  const WITH_CAUSE_IN_MESSAGE = new Fault('staging_unavailable', `the system refused: ${NO_SPACE.message}`, {
    cause: NO_SPACE,
  });

  it('adds the cause of a fault', () => {
    expect(formatReason(WITH_CAUSE)).to.equal(
      'the database cannot be used now (store_unavailable): ENOSPC: no space left on device, write',
    );
    expect(errorText(WITH_CAUSE)).to.equal(
      'the database cannot be used now (ENOSPC: no space left on device, write)',
    );
  });

  it('adds the first cause of a fault in a step of a program, which says why it failed', () => {
    const place = { program: 'api_keys.create', step: 'insert', table: 'api_keys', columns: ['id'] };
    const failed = new Fault('store_unavailable', 'no database', { cause: new StepError(place, NO_SPACE) });
    expect(formatReason(failed)).to.equal(`no database (store_unavailable): ${NO_SPACE.message}`);
    expect(errorText(failed)).to.equal(`no database (${NO_SPACE.message})`);
  });

  it('does not repeat a cause that the fault already states', () => {
    const once = 'the system refused: ENOSPC: no space left on device, write';
    expect(formatReason(WITH_CAUSE_IN_MESSAGE)).to.equal(`${once} (staging_unavailable)`);
    expect(errorText(WITH_CAUSE_IN_MESSAGE)).to.equal(once);
  });
});
