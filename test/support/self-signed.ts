/**
 * A certificate for this machine that nobody vouches for, of 2020 to 2119, and its key: for tests of who is
 * trusted.
 */
export const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgngj/3+RAdn3AIpip
TFQLPCZ1up5yolX5iv0oTKbgMt6hRANCAASczubzqlyEVPXz4+jwduP+Ab43zrDb
QTYQkOuNLC+l9i9mTprtNjw5hF1Z4PyK0XNNLpucRl2LoxKkSaj8jTXz
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBezCCASCgAwIBAgIUBjmkCXdkceXpHav5vDxwd1pJW4IwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMTkxMjA4
MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASczubzqlyEVPXz4+jwduP+Ab43zrDbQTYQkOuNLC+l9i9mTprtNjw5
hF1Z4PyK0XNNLpucRl2LoxKkSaj8jTXzo04wTDAaBgNVHREEEzARhwR/AAABggls
b2NhbGhvc3QwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUIm2Du8qYcjyk7uLB
Ho3rOoW6JNEwCgYIKoZIzj0EAwIDSQAwRgIhAPZKj29FKqmPCs+UkWwrKO4PaprN
PURo/I2WlCkcwb/HAiEAlIyXOWavZQRj2ilt8EvRJSZMKb1jV2cfnwnLjZVLrqc=
-----END CERTIFICATE-----`,
};
