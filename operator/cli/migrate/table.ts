import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  server: {
    type: 'text',
    value: 'URL',
    help: 'where kubectl proxy listens: http://HOST:PORT or unix:/PATH',
  },
} as const;

/** The command line of `chancery migrate`. */
export const MIGRATE: CommandTable<typeof OPTIONS> = {
  name: 'migrate',
  summary: 'have every stored object of a definition written in its storage version',
  usage: ['DEFINITION [--server URL]'],
  arguments: [{ name: 'DEFINITION' }],
  options: OPTIONS,
  isLasting: true,
  description: `Ends when status.storedVersions of the definition, such as websites.example.dev, has only its storage
version. Then the versions that were stored before can be taken out of the definition.

Run it as an administrator, behind a kubectl proxy of your own, and not in the operator's Pod: the operator has
none of these rights. It creates a StorageVersionMigration, waits until the control plane has written all
objects, and then takes the other versions out of status.storedVersions, unless the control plane has done so.
Where the API server serves no storagemigration.k8s.io (it is on since Kubernetes 1.37), it writes each object
itself, unchanged, which has the same effect.

It can be stopped and started again at any time: it goes on with what is there. A migration that has failed, or
that was made before the last change of the definition, is deleted and made again.`,
  environment: ['CHANCERY_API_URL'],
  notes: `It needs these rights: get customresourcedefinitions, patch customresourcedefinitions/status, and get, create
and delete storageversionmigrations; without storagemigration.k8s.io list and patch the objects.`,
  exitCodes: {
    0: 'all objects are stored in the storage version',
    1: 'the migration has failed, the API server refused a request, or it was asked to stop',
    2: 'the command line is wrong, or there is no such definition',
  },
  examples: `  kubectl proxy --port=8001 &
  chancery migrate websites.example.dev`,
};
