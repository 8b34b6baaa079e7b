import type { Runnable } from 'chancery';
import { expect, test, vi } from 'vitest';
import program from '../../operator.ts';

/** These runnables ask for nothing of it. */
const NO_CONTEXT = {} as Parameters<Runnable['run']>[1];

test('an argument without effect causes a warning when the process starts, and not when a command loads the module', async () => {
  const said = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { runnables = [] } = await program.create({ args: ['--enable-pprof'], environment: {} });
  expect(said).not.toHaveBeenCalled();

  const { signal } = new AbortController();
  await runnables.find(({ name }) => name === 'reloader-warnings')?.run(signal, NO_CONTEXT);

  expect(said).toHaveBeenCalledOnce();
  expect(said.mock.calls[0]?.[0]).toContain('--enable-pprof');
});

test('there is no warning if every argument has an effect', async () => {
  const { runnables = [] } = await program.create({ args: [], environment: {} });
  expect(runnables.map(({ name }) => name)).not.toContain('reloader-warnings');
});
