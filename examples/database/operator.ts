import { sampleDb } from './sample-db.ts';

export default [sampleDb];
