import { createMemoryDatabase } from '@pinfold/memory';
import { describeDatabaseFaults } from 'pinfold-test-faults';

describeDatabaseFaults({
  name: 'memory',
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
