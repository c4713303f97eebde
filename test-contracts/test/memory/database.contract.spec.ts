import { createMemoryDatabase } from '@pinfold/memory';
import { describeDatabase } from '@pinfold/test-contracts/mocha';

describeDatabase({
  name: 'Memory',
  open: async (schema) => {
    const port = createMemoryDatabase(schema);
    const closed = port.peer();
    await closed.close();
    return {
      port,
      peer: async () => port.peer(),
      unreachable: async () => closed,
      dispose: () => port.close(),
    };
  },
});
