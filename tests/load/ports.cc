#include "ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "report.h"

namespace cox::load {

int PortAfter(const CoxdProcess& coxd, const std::string& word) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < give_up) {
    const std::string log = coxd.Log();
    if (const size_t at = log.find(word); at != std::string::npos) {
      const size_t begin = at + word.size();
      const size_t end = log.find_first_not_of("0123456789", begin);
      int port = 0;
      if (end != std::string::npos && absl::SimpleAtoi(log.substr(begin, end - begin), &port)) {
        return port;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Fail(absl::StrCat("no port after ", word, " in: ", coxd.Log()));
}

int ConnectTo(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return fd;
  close(fd);
  return -1;
}

std::string Get(int port, absl::string_view path) {
  const int fd = ConnectTo(port);
  if (fd < 0) return "";
  const std::string request =
      path.empty() ? "GET /met"
                   : absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: 127.0.0.1:", port,
                                  "\r\nConnection: close\r\n\r\n");
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  char bytes[4'096];
  for (ssize_t count = 1; !path.empty() && count > 0;) {
    count = recv(fd, bytes, sizeof(bytes), 0);
    if (count > 0) answer.append(bytes, static_cast<size_t>(count));
  }
  close(fd);
  return answer;
}

}  // namespace cox::load
