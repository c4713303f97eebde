import { parseArgs } from 'node:util';
import { stress } from './stress.ts';

const { values } = parseArgs({ options: { checks: { type: 'string', default: '1000000' } } });
const found = await stress({ checks: Number(values.checks), killEvery: 50_000 });
console.log(JSON.stringify(found));
if (found.stale > 0 || found.hits === 0) process.exitCode = 1;
