import { html } from 'hono/html';
import type { RefusedError } from '../http/problems.ts';
import { PROBLEMS } from '../http/problems.ts';
import type { FramedPage } from './frame.ts';
import { linkTo, type PageView } from './page-view.ts';

export const problemPage = (view: PageView, refusal: RefusedError): FramedPage => ({
  title: PROBLEMS[refusal.slug].title,
  isTimed: refusal.slug === 'not-found', // it may exist at another time
  whenChanged: 'nothing',
  main: html`<section role="alert">
  ${
    refusal.errors === undefined
      ? html`<p>${refusal.message}</p>`
      : html`<ul class="plain">${refusal.errors.map(
          ({ parameter, detail }) =>
            html`<li><code dir="auto">${parameter}</code> <bdi>${detail}</bdi></li>`,
        )}</ul>`
  }
  <p class="soft">Use the navigation above, or <a href="${linkTo(view, '/search')}">search</a> for a title, a handle or a hashtag.</p></section>`,
});
