// Types for the parts of Eleventy and Markdown-it that we use. Neither package has types.
declare module '@11ty/eleventy' {
  interface Token {
    readonly type: string;
    readonly content: string;
    readonly children: readonly Token[] | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  /** Data of the page being rendered. */
  export interface TemplateData {
    readonly page: { readonly inputPath: string };
  }

  export interface Markdown {
    readonly core: {
      readonly ruler: {
        push(
          name: string,
          rule: (state: { readonly tokens: readonly Token[]; readonly env: TemplateData }) => void,
        ): void;
      };
    };
  }

  export interface SiteConfig {
    addTemplate(path: string, content: string, data: object): void;
    amendLibrary(name: 'md', change: (markdown: Markdown) => void): void;
    addTransform(name: string, change: (this: TemplateData, content: string) => string): void;
    addPassthroughCopy(paths: Record<string, string>): void;
  }

  /** Renders what is in `input`, and the templates that its configuration adds, into `output`. */
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; config: (config: SiteConfig) => void },
    );
    write(): Promise<unknown>;
  }
}
