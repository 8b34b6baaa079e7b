/** `/version`: the server whose behaviour this one has. */
export const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.2',
  gitCommit: '98b35193b2ac7a23a673325f5e9b830ecd5ba406',
  gitTreeState: 'clean',
  buildDate: '2026-08-21T11:29:11Z',
  goVersion: 'go1.26.10',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const;
