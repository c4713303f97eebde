import express from 'express';

const app = express();
app.use(express.static(process.env.ROOT));
app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));
