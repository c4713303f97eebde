import { Fault, isFault } from '@pinfold/core';
import { StepError } from '@pinfold/core/records';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { fromPlain, toPlain } from '../../src/writing/plain-errors.ts';

const crossed = (thrown: unknown): unknown => fromPlain(structuredClone(toPlain(thrown)));

const PLACE = { program: 'books.add', step: 'insert', table: 'books', columns: ['isbn'] };

describe('An error that crosses to another thread', () => {
  it('stays the same fault, with the step that failed and the error of SQLite', () => {
    const ofSqlite = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    const thrown = new Fault('store_unavailable', 'not now', { cause: new StepError(PLACE, ofSqlite) });
    const fault = crossed(thrown);
    expect(isFault(fault) && fault.code).to.equal('store_unavailable');
    expect(fault).to.include({ message: 'not now', stack: thrown.stack });
    const { cause: step } = fault as Fault;
    expect(step).to.be.instanceOf(StepError);
    expect(step).to.deep.include(PLACE);
    expect((step as StepError).cause).to.include({
      name: 'SqliteError',
      message: 'database or disk is full',
      code: 'SQLITE_FULL',
    });
  });

  it('keeps its JavaScript class and its stack', () => {
    const thrown = new RangeError('too many');
    const error = crossed(thrown);
    expect(error).to.be.instanceOf(RangeError).and.include({ message: 'too many', stack: thrown.stack });
  });

  it('may be any thrown value', () => {
    expect([crossed('a text'), crossed(undefined)]).to.deep.equal(['a text', undefined]);
  });
});
