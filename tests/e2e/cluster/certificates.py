"""A certificate authority and the certificates of a server, by openssl."""

import pathlib
import time

import world

AUTHORITY = """\
[ca]
default_ca = own
[own]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[server]
subjectAltName = DNS:{name},IP:{address}
"""


class Authority:
    def __init__(self, folder, name, address):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o700)
        self.certificate = self.folder / "ca.pem"
        self._write("own.cnf", AUTHORITY.format(folder=self.folder, name=name, address=address))
        self._write("index", "")
        self._write("serial", "01\n")
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                      self.folder / "ca.key", "-out", self.certificate, "-subj", "/CN=ca", "-days", "2")

    def _write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def _openssl(self, verb, *words):
        return world.run("openssl", verb, *words)

    def sign(self, first_s, last_s, certificate, key):
        """Writes a server's new key and certificate, valid from one time to another, in seconds since 1970."""
        text = lambda time_s: time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time_s))
        request = self.folder / "request"
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                      "-out", request, "-subj", "/CN=server")
        self._openssl("ca", "-batch", "-notext", "-config", self.folder / "own.cnf", "-extensions", "server", "-cert",
                      self.certificate, "-keyfile", self.folder / "ca.key", "-startdate", text(first_s), "-enddate",
                      text(last_s), "-in", request, "-out", certificate)
