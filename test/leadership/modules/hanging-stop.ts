/** A busy writer beside something that does not let the process stop. */
import { runnable } from 'chancery';
import busyWriter from './busy-writer.ts';

export default [
  busyWriter,
  runnable({ name: 'hanging-stop', run: () => new Promise<void>(() => {}) }),
];
