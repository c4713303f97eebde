import { Fault } from '@pinfold/core';
import { expect } from 'chai';
import {
  CommandFailure,
  toFailureJson,
  UnavailableError,
  UsageError,
} from '../../src/command-line/failures.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';

describe('failureJson', () => {
  const codeOf = (error: unknown): string | undefined => toFailureJson(error)?.code;

  it('gives the codes that the documents list, of an argument, a setting, a database and a store', () => {
    expect(codeOf(new UsageError('x'))).to.equal('usage');
    expect(codeOf(new SettingsError('publicUrl', 'x'))).to.equal('usage');
    const away = new Fault('store_unavailable', 'x');
    expect(codeOf(away)).to.equal('unavailable');
    expect(codeOf(new SettingsError('publicUrl', 'x', { cause: away }))).to.equal('unavailable');
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
