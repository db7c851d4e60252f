/** File of the worker `name` in the folder of the module `beside` (`import.meta.url`), as source or built. */
export const workerFile = (beside: string, name: string): URL =>
  new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
