/**
 * The file of a worker thread called `name` beside the module whose `import.meta.url` is `beside`: its
 * source in a checkout, its built form, which stands beside the built module, in the package.
 */
export const workerFile = (beside: string, name: string): URL =>
  new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
