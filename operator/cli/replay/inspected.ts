import type { Controller } from '../../controller/controller.ts';
import type { Io } from '../command.ts';

/**
 * Opens Node's debugger on loopback, unless it is already open, and waits until a debugger is
 * attached.
 */
export function waitForDebugger({ stderr }: Pick<Io, 'stderr'>): void {
  const inspector = process.getBuiltinModule('node:inspector');
  if (inspector.url() === undefined) inspector.open(0, '127.0.0.1');
  stderr.write(`attach a debugger to ${inspector.url()}, for example at chrome://inspect\n`);
  inspector.waitForDebugger();
}

/**
 * A copy of the controller that stops in the debugger just before it reconciles `key`, or any key
 * if `key` is undefined. From there, the user can step into the code of the controller.
 */
export function inspected(controller: Controller, key: string | undefined): Controller {
  const { reconcile, gone } = controller;
  const isAsked = (one: string): boolean => key === undefined || key === one;
  return Object.freeze({
    ...controller,
    reconcile: (...given: Parameters<typeof reconcile>) => {
      // biome-ignore lint/suspicious/noDebugger: this is what --inspect is for
      if (isAsked(given[1].key)) debugger;
      return reconcile(...given);
    },
    ...(gone && {
      gone: (...given: Parameters<typeof gone>) => {
        // biome-ignore lint/suspicious/noDebugger: as above
        if (isAsked(given[0])) debugger;
        return gone(...given);
      },
    }),
  });
}
