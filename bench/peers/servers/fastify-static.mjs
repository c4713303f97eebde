import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

const app = Fastify();
app.register(fastifyStatic, { root: process.env.ROOT, preCompressed: true });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
console.log('ready');
process.on('SIGTERM', () => process.exit(0));
