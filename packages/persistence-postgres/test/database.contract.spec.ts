import { describeDatabase } from '@pinfold/test-contracts/mocha';
import { openWith, PIPELINED } from './open-database.ts';

describeDatabase({ name: 'PostgreSQL', open: openWith(PIPELINED), runs: 40 });

describeDatabase({ name: 'PostgreSQL without pipelining', open: openWith({}), runs: 10 });

// A server that allows only serializable histories rolls back many concurrent changes.
describeDatabase({
  name: 'PostgreSQL, serializable by default,',
  open: openWith({ ...PIPELINED, options: '-c default_transaction_isolation=serializable' }),
  clauses: /\/(exclusive|shared|overlapping|at-once|isolated|answered|snapshot)$/,
});
