// Every run of the tests tries the same random cases, so that a failure is of the change at hand; SEED=N tries others.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
