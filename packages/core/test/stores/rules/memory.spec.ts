import { createMemory } from '@pinfold/memory';
import { describeRules } from './describe-rules.ts';

describeRules({
  name: 'memory',
  open: async () => {
    const port = createMemory();
    const closed = port.peer();
    await closed.close();
    return {
      port,
      peer: async () => port.peer(),
      unreachable: async () => closed,
      dispose: () => port.close(),
    };
  },
  randomSequences: 40,
});
