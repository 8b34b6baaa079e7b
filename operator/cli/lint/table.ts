import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  status: {
    type: 'path',
    value: 'FILE',
    help: 'what the caches hold: /status.json of the running operator; of one workload only',
  },
  output: {
    short: 'o',
    type: 'choice',
    choices: ['text', 'json'],
    default: 'text',
    help: 'json is one object a line',
  },
} as const;

/** The command line of `chancery lint`. */
export const LINT: CommandTable<typeof OPTIONS> = {
  name: 'lint',
  summary: 'find what is wrong with rendered manifests of an operator',
  usage: ['FILE... [--status FILE] [-o text|json]'],
  arguments: [{ name: 'FILE', isPath: true, repeats: true }],
  options: OPTIONS,
  description: `Looks for what undoes the promise of the two containers in rendered manifests: a token that the operator
sees, a filter that lets through more than it says, rights that the filter does not need, a Pod that
stops in the wrong order, and more. FILE is a YAML stream, a folder of such, or "-" for standard input.
Overlays are rendered first, and with all that belongs to the operator: its RBAC is compared with the
ambassador's filter.

Diagnostics go to standard output, one a line, with what is wrong, where, why that matters and what to do;
the sum goes to standard error. An ambassador is known by its image, chancery-proxy or kubectl, or by
--accept-paths among its arguments; a workload without one is not looked at.

With --status, a warning says when the memory limit of the operator's container is too small for a list
in which everything that is cached has changed, and which limit is enough. lint opens no connection: save
/status.json of the running operator and name the file. The same warning for a size that is only planned
takes a file with {"sources":[{"resource":"pods","objects":50000,"bytes":250000000}]}.`,
  exitCodes: {
    0: 'nothing found, or warnings only',
    1: 'errors found',
    2: 'a file or the status page cannot be used, or there is no ambassador: nothing was looked at',
  },
  examples: `  kubectl kustomize overlays/x | chancery lint -
  helm template my-operator chart/ | chancery lint -
  curl -s 127.0.0.1:8081/status.json > status.json   # beside kubectl port-forward POD 8081
  kubectl kustomize overlays/x | chancery lint - --status status.json
  chancery lint -o json rendered.yaml | jq -r 'select(.level == "error") | .rule'`,
};
