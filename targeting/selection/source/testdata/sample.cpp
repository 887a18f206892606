#include <map>
namespace outer {
namespace {
int hidden{1};
}
template <typename T, int N = 2>
class Box : public Base<T> {
public:
	explicit Box(int n) : Base<T>(n), size_{n}, name_("x") { init(3); }
	~Box() { release(4); }
	Box(const Box &) = delete;
	bool operator<(const Box &other) const { return size_ < 5; }
	operator bool() const noexcept { return size_ > 6; }
	std::map<int, T> all(std::function<int(int)> f) const {
		auto g = [&](int x) { return f(x) + 7; };
		return {{g(8), T{}}};
	}
	virtual void later(int) = 0;
private:
	int size_ = 9;
	std::string name_;
};

template <typename T, int N>
void Box<T, N>::later(int n) try { throw n + 10; } catch (int e) { use(e, 11); }

enum class Mode : int { Fast, Slow = 12 };
constexpr auto raw = R"x( ")" } )x";
}
extern "C" int entry(int argc, char **argv) { return argc >> 13; }
