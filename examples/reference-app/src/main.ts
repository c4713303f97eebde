// The whole reference server. To put an adapter of your own in the place of ours, hand a module to createApp:
//
//   import { tokens } from '@pinfold/inversify';
//   import { ContainerModule } from 'inversify';
//   const mine = new ContainerModule(({ rebind }) => {
//     rebind(tokens.archives).toConstantValue(new MyArchiveStorage());
//   });
//   createApp(readSettings(process.env), { modules: [mine] })
import { createApp, readSettings, runUntilStopped } from 'pinfold';

process.exit(await runUntilStopped(async () => createApp(readSettings(process.env))));
