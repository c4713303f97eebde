import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(process.hrtime.bigint() % 1_000_000_000n) },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];

process.stdout.write(`${count} mutations from seed ${seed}\n`);
const { refused, accepted, compared } = await fuzz(seed, count);
process.stdout.write(
  `${refused} refused, ${accepted} accepted and served as proved, ${compared} of them as yauzl reads them\n`,
);
