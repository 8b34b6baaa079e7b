import process from 'node:process';
import { messageOf } from '../../core/errors.ts';
import { loadPackage } from '../loading/load-package.ts';

/**
 * The process of `chancery plugin kubebuilder`. kubebuilder starts one process per request, and
 * sends three requests per command. So the other commands are not loaded. The package answers the
 * request as soon as it is imported.
 */
try {
  await loadPackage('@chancery/packaging/kubebuilder', 'plugin kubebuilder');
} catch (error) {
  // kubebuilder prints the messages in an answer, but drops everything from a process that fails.
  const answer = {
    ...{ apiVersion: 'v1alpha1', command: '', metadata: { description: '', examples: '' } },
    ...{ universe: {}, error: true, errorMsgs: [messageOf(error)] },
  };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
