import { frontEnds } from './front-end.ts';
import { sampleDb } from './sample-db.ts';

export default [sampleDb, ...frontEnds];
